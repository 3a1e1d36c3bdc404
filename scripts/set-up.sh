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
    { DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$2" ||
      { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$2"; }; } >/dev/null 2>&1 ||
      stop "apt-get could not install $2. Install it by hand, then run this again."
    sh -c "$1" >/dev/null 2>&1 || stop "'$1' still fails after installing $2."
  else
    stop "This needs '$1' to work. Install $2 (Debian: apt-get install $2), then run this again."
  fi
}

set_up_node() {
  command -v node >/dev/null 2>&1 || stop "This needs Node 20 or later (node --version); install it from your distribution or nodejs.org, then run this again."
  node -e 'const [major, minor] = process.versions.node.split("."); process.exit(+major > 20 || (+major === 20 && +minor >= 19) ? 0 : 1)' ||
    stop "Node $(node --version) is too old: this needs 20.19 or later."
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
