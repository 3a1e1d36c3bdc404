#!/usr/bin/env bash
# Makes the local image of a publisher of /clock, without a registry: test/docker/clock-image.sh IMAGE PYTHON
#
# PYTHON is a Python that has cyclonedds (scripts/test makes one). Like compose/image.sh: that interpreter with its standard library,
# cyclonedds, the shared libraries that they ask for, the publisher, and a stand-in for rclpy in a folder that nothing looks into
# unless PYTHONPATH says so. There is no shell in it, and no `kill`.
set -euo pipefail
python=$(realpath -s "$(type -P "$2")")
cd "$(dirname "$0")"
source ../../compose/image-root.sh
image=$1

read -r version base site < <("$python" -c '
import sys, sysconfig
print("%d.%d" % sys.version_info[:2], sys.base_prefix, sysconfig.get_path("platlib"))')
programs=../e2e/programs/clock_publisher.py
stand_in=../fixtures/clock
inputs=$({
  find clock-image.sh ../../compose/image-root.sh "$programs" "$stand_in" "$site" -type f -not -path '*/__pycache__/*' -print0 |
    sort -z | xargs -0 sha256sum
  "$python" -VV
} | sha256sum | cut -c 1-16)
if is_made "$image" "$inputs"; then exit 0; fi

new_root
library="lib/python$version"
cp -L "$base/bin/python$version" "$root/usr/local/bin/python$version"
ln -s "python$version" "$root/usr/local/bin/python3"
tar -C "$base" -cf - --exclude='site-packages' --exclude='dist-packages' --exclude='test' --exclude='tests' --exclude='idlelib' \
  --exclude='tkinter' --exclude='turtledemo' --exclude='ensurepip' --exclude='config-*' --exclude='__pycache__' "$library" |
  tar -C "$root/usr/local" -xf -
packages="$root/usr/local/$library/site-packages"
mkdir -p "$packages" "$root/opt/clock"
# Beside cyclonedds only what its own imports ask for.
tar -C "$site" -cf - --exclude='__pycache__' cyclonedds cyclonedds.libs | tar -C "$packages" -xf -
copy_libraries
cp "$programs" "$root/opt/clock/publisher.py"
cp -r "$stand_in" "$root/opt/clock/ros"

import_root "$image" "$inputs" --change 'ENV PATH=/usr/local/bin:/usr/bin:/bin' --change 'WORKDIR /opt/clock'
