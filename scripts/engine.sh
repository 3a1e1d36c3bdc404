# Sourced, after set-up.sh, by what needs a container engine: uses the one that answers `docker info`, else runs one of its own.
daemon=
run=

# Control groups for dockerd on a machine that mounts none, as bare virtual machines do.
mount_cgroups() {
  mountpoint -q /sys/fs/cgroup && return 0
  mount -t tmpfs -o mode=755 tmpfs /sys/fs/cgroup
  local name
  for name in cpu cpuacct cpuset memory devices freezer blkio pids; do
    mkdir "/sys/fs/cgroup/$name"
    mount -t cgroup -o "$name" cgroup "/sys/fs/cgroup/$name"
  done
}

# A daemon on a socket of its own, without networks; its images are kept under .cache. It is not reached by Ctrl-C, since the stack
# has to be taken down first, and ends with us.
start_daemon() {
  command -v dockerd >/dev/null 2>&1 || stop "No container engine answers, and there is no dockerd to start. Install Docker, then run this again."
  [ "$(id -u)" -eq 0 ] || stop "No container engine answers, and only root can run one. Start Docker, or run this as root."
  mount_cgroups
  # Not below .cache: the path of a socket has 107 bytes at most.
  run=$(mktemp -d "${TMPDIR:-/tmp}/profiler-engine.XXXXXX")
  say "starting a container engine of our own on $run/docker.sock"
  setsid setpriv --pdeathsig TERM dockerd --host "unix://$run/docker.sock" --data-root "$CACHE/docker/demo" --exec-root "$run/exec" \
    --pidfile "$run/pid" --iptables=false --bridge=none >"$CACHE/docker/demo.log" 2>&1 &
  daemon=$!
  export DOCKER_HOST="unix://$run/docker.sock"
  unset DOCKER_CONTEXT
  until docker info >/dev/null 2>&1; do
    kill -0 "$daemon" 2>/dev/null || { tail -n 8 "$CACHE/docker/demo.log" >&2; stop "The container engine ended at once; its last words are above."; }
    sleep 0.2
  done
}

# Ends the daemon that was started here, if one was.
stop_daemon() {
  if [ -n "$daemon" ]; then
    kill -TERM "$daemon" 2>/dev/null || true
    wait "$daemon" 2>/dev/null || true
  fi
  if [ -n "$run" ]; then
    # What a daemon leaves mounted for its containers, innermost first.
    awk -v below="$run/" 'index($2, below) == 1 { print $2 }' /proc/self/mounts | sort -r | while read -r point; do umount --lazy "$point"; done
    rm -rf "$run"
  fi
}

# As a plugin of docker, the one that set_up_docker builds (a program by itself, too), or version 1.
find_compose() {
  local built="$CACHE/docker/config/cli-plugins/docker-compose"
  if docker compose version >/dev/null 2>&1; then COMPOSE=(docker compose)
  elif [ -x "$built" ]; then COMPOSE=("$built")
  elif docker-compose version >/dev/null 2>&1; then COMPOSE=(docker-compose)
  else return 1; fi
}
