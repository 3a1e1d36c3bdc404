#!/bin/sh
# Starts as root and drops to user 1000, as many images do that have to prepare something first. So a plain `docker exec` into the
# container is root, but not the simulation's user: such a root may not look into the simulation, since Docker's default capabilities
# hold no SYS_PTRACE.
set -e
exec setpriv --reuid 1000 --regid 1000 --clear-groups -- "$@"
