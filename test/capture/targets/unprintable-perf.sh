#!/bin/sh
# A perf that records, and cannot print what it recorded: what a perf of another version does.
if [ "$1" = script ]; then
  echo "file uses a more recent and unsupported ABI (8 bytes extra)" >&2
  echo "incompatible file format (rerun with -v to learn more)" >&2
  exit 255
fi
while [ "$1" != "-o" ]; do shift; done
echo PERFILE2 > "$2"
trap 'echo "[ perf record: Captured and wrote 0.010 MB $2 (9 samples) ]" >&2; exit 0' INT
echo "Events enabled" >&2
while :; do sleep 0.05; done
