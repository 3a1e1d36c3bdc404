#!/usr/bin/env bash
# Makes the local image of the WebSocket bridge, without a registry: compose/bridge/image.sh IMAGE [NODE]
#
# Like compose/image.sh: Node (20 or later; default: the one in PATH), the shared libraries that it asks for, the package `ws` of this
# project's node_modules and the programs of this folder are put into a tar and imported. There is no shell in it.
set -euo pipefail
node=$(realpath "$(type -P "${2:-node}")")
cd "$(dirname "$0")"
source ../image-root.sh
image=$1
ws=../../node_modules/ws
[ -e "$ws/package.json" ] || { echo "There is no $ws. Run npm ci in the project's folder, then this again." >&2; exit 1; }

inputs=$({
  { find . -type f -print0 && printf '%s\0' ../image-root.sh "$ws/package.json"; } | sort -z | xargs -0 sha256sum
  stat -c '%s %Y' "$node"
  "$node" --version
} | sha256sum | cut -c 1-16)
if is_made "$image" "$inputs"; then exit 0; fi

new_root
mkdir -p "$root/opt/bridge/node_modules/ws"
cp -L "$node" "$root/usr/local/bin/node"
copy_libraries
cp ./*.mjs "$root/opt/bridge/"
cp -r "$ws/package.json" "$ws/index.js" "$ws/wrapper.mjs" "$ws/lib" "$ws/LICENSE" "$root/opt/bridge/node_modules/ws/"
import_root "$image" "$inputs" --change 'ENV PATH=/usr/local/bin:/usr/bin:/bin' --change 'WORKDIR /opt/bridge' \
  --change 'USER 1000:1000' --change 'CMD ["node", "main.mjs"]'
