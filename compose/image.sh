#!/usr/bin/env bash
# Makes the local image of the demo stack, without a registry: compose/image.sh IMAGE PYTHON
#
# PYTHON is a Python (3.8 or later) that has compose/sim/requirements.txt installed. What the simulation needs of this machine is
# put into a tar and imported: that interpreter with its standard library, MuJoCo and NumPy, the shared libraries they ask for, a
# shell and a few commands, and compose/sim. Nothing is mounted from the host, so it behaves like any image that was built or
# pulled: its paths are not the host's, it runs under another daemon just as well, and a container of it shows exactly the files
# that were written into it. An empty image with the host's /usr mounted would be quicker to make (this takes some 10 s and
# 200 MB) but would be none of that. An image that was made from the same inputs is kept.
set -euo pipefail
python=$(realpath -s "$(type -P "$2")")
cd "$(dirname "$0")"
source image-root.sh
image=$1

read -r version base site < <("$python" -c '
import sys, sysconfig
print("%d.%d" % sys.version_info[:2], sys.base_prefix, sysconfig.get_path("platlib"))')
inputs=$({
  find . -type f -not -path '*/__pycache__/*' -not -name 'compose.yaml' -not -path './bridge/*' -print0 | sort -z | xargs -0 sha256sum
  "$python" -VV
} | sha256sum | cut -c 1-16)
if is_made "$image" "$inputs"; then exit 0; fi

new_root
mkdir -p "$root/opt/rover"

for command in sh setpriv cat chmod cp id kill ls mkdir mount mv ps rm sleep stat; do
  # By path: a shell's own `kill` has none.
  if path=$(type -P "$command"); then cp -L "$path" "$root/usr/bin/$command"; fi
done

# The interpreter finds its library beside itself, so it may move from wherever it is here to /usr/local.
library="lib/python$version"
cp -L "$base/bin/python$version" "$root/usr/local/bin/python$version"
ln -s "python$version" "$root/usr/local/bin/python3"
tar -C "$base" -cf - --exclude='site-packages' --exclude='dist-packages' --exclude='test' --exclude='tests' --exclude='idlelib' \
  --exclude='tkinter' --exclude='turtledemo' --exclude='ensurepip' --exclude='config-*' "$library" | tar -C "$root/usr/local" -xf -
mkdir -p "$root/usr/local/$library/site-packages"
tar -C "$site" -cf - --exclude='tests' --exclude='mujoco/studio' $(cd "$site" && ls -d mujoco numpy glfw etils 2>/dev/null; ls -d ./*.libs) |
  tar -C "$root/usr/local/$library/site-packages" -xf -

copy_libraries

cp entrypoint.sh healthy.py viz.py "$root/opt/rover/"
tar -cf - --exclude='__pycache__' sim | tar -C "$root/opt/rover" -xf -
# Compiled here, so that the user of the container, who may not write there, does not compile it at every start.
PYTHONDONTWRITEBYTECODE= "$python" -m compileall -q -s "$root" "$root/opt/rover/sim"

import_root "$image" "$inputs" --change 'ENV PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' \
  --change 'ENV PYTHONPATH=/opt/rover/sim' --change 'ENTRYPOINT ["/opt/rover/entrypoint.sh"]'
