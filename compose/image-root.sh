# Sourced by what makes an image without a registry: a folder that becomes its root, what programs ask for, and the import.
IMAGE_LABEL=rover-demo.inputs

# is_made IMAGE INPUTS: whether the image was made from the same inputs.
is_made() { [ "$(docker image inspect -f "{{ index .Config.Labels \"$IMAGE_LABEL\" }}" "$1" 2>/dev/null)" = "$2" ]; }

# Makes the folder $root, which goes when the script ends.
new_root() {
  root=$(mktemp -d)
  trap 'rm -rf "$root"' EXIT
  mkdir -p "$root"/{dev,etc,proc,run,sys,tmp,usr/bin,usr/sbin,usr/lib,usr/lib64,usr/local/bin,usr/local/lib}
  # The root of the image keeps the mode of the folder that it was packed from.
  chmod 755 "$root"
  chmod 1777 "$root/tmp"
  local folder
  for folder in bin sbin lib lib64; do ln -s "usr/$folder" "$root/$folder"; done
  printf 'root:x:0:0:root:/root:/bin/sh\nsim:x:1000:1000:sim:/tmp:/bin/sh\n' >"$root/etc/passwd"
  printf 'root:x:0:\nsim:x:1000:\n' >"$root/etc/group"
}

# The shared libraries that all below $root asks for, into the loader's own folder; what packages bring along finds its own.
copy_libraries() {
  local loader_folder
  loader_folder=$(dirname "$(ldd "$(type -P sh)" | awk '$1 == "libc.so.6" { print $3 }')")
  mkdir -p "$root/$loader_folder"
  { find "$root/usr" -type f \( -perm -u+x -o -name '*.so' -o -name '*.so.*' \) -exec ldd {} + 2>/dev/null || true; } |
    awk '$2 == "=>" && $3 ~ /^\// { print $3 } $1 ~ /^\// && $2 ~ /^\(0x/ { print $1 }' | sort -u | while read -r file; do
    case $file in
      "$root"/*) ;;
      */ld-linux*) mkdir -p "$root/$(dirname "$file")" && cp -L "$file" "$root/$file" ;;
      *) cp -L "$file" "$root/$loader_folder/" ;;
    esac
  done
  # Asked for by name when a thread is cancelled, so nothing links it.
  cp -L "$loader_folder/libgcc_s.so.1" "$root/$loader_folder/" 2>/dev/null || true
}

# import_root IMAGE INPUTS [--change INSTRUCTION]...
import_root() {
  local image=$1 inputs=$2
  shift 2
  tar -C "$root" --owner=0 --group=0 --numeric-owner -cf - . |
    docker import "$@" --change "LABEL $IMAGE_LABEL=$inputs" - "$image" >/dev/null
}
