# Runs a benchmark of scripts/bench under one Python, or with `--versions 3.10,3.12` under several, as far as this machine has them.
# Sourced after set-up.sh.

# The interpreter of a version: on the PATH, or of pyenv.
interpreter() {
  compgen -G "${PYENV_ROOT:-$HOME/.pyenv}/versions/$1.*/bin/python$1" | tail -n 1 | grep . || command -v "python$1"
}

# under_versions NAME ARGUMENT...: scripts/bench/NAME.mjs; its work goes to .cache/bench-NAME.
under_versions() {
  local name=$1 versions=() arguments=() version venv python
  shift
  while [ $# -gt 0 ]; do
    case $1 in
      --versions) IFS=, read -ra versions <<<"$2"; shift 2 ;;
      *) arguments+=("$1"); shift ;;
    esac
  done
  measure() {
    node "scripts/bench/$name.mjs" --python "$1" --py-spy "$CACHE/sim-venv/bin/py-spy" --work "$CACHE/bench-$name" \
      "${arguments[@]+"${arguments[@]}"}"
  }
  if [ ${#versions[@]} -eq 0 ]; then
    measure "$SIM_PYTHON"
    return
  fi
  for version in "${versions[@]}"; do
    venv="$CACHE/test-venvs/$version"
    python=$(interpreter "$version") || stop "There is no python$version on this machine."
    if ! [ -e "$venv/.rover-ready" ]; then
      say "installing the demo simulation's packages for Python $version"
      "$python" -m venv "$venv"
      "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r compose/sim/requirements.txt
      touch "$venv/.rover-ready"
    fi
    printf '\n=== Python %s\n' "$("$venv/bin/python" -c 'import platform; print(platform.python_version())')"
    measure "$venv/bin/python"
  done
}
