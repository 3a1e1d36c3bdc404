# Sourced after set-up.sh: FlyGym in a virtual environment of its own, and what draws its frames where no GPU does.
source scripts/bench/pythons.sh
FLYGYM_VERSION=2.1.1
FLYGYM_PYTHON="$CACHE/flygym-venv/bin/python"

# FlyGym asks for CPython 3.12. Where there is none, 3.11 (Debian 12) does as well: see the first lines of replay.py.
set_up_flygym() {
  local venv="$CACHE/flygym-venv" version python='' want
  need "python3 -m venv --help" python3-venv
  need "python3 -c 'import ensurepip'" python3-venv
  need "chrt --help" util-linux
  for version in 3.12 3.13 3.14 3.11; do
    if python=$(interpreter "$version"); then break; fi
  done
  [ -n "$python" ] || stop "This needs CPython 3.11 or later. Install one, then run this again."
  want="flygym==$FLYGYM_VERSION py-spy==$PYSPY_VERSION on $("$python" --version)"
  if [ "$want" = "$(cat "$venv/.installed" 2>/dev/null)" ]; then return 0; fi
  say "installing FlyGym $FLYGYM_VERSION and py-spy for Python $version into .cache/flygym-venv"
  rm -rf "$venv"
  "$python" -m venv "$venv"
  if [ "$version" = 3.11 ]; then
    say "FlyGym asks for CPython 3.12, this machine has 3.11: it is installed all the same, and what it needs beside it"
    pip_into "$venv" --no-deps --ignore-requires-python "flygym==$FLYGYM_VERSION"
    "$FLYGYM_PYTHON" -c 'import importlib.metadata as m; print(*(r for r in m.requires("flygym") if "extra ==" not in r), sep="\n")' \
      >"$venv/requirements.txt"
    pip_into "$venv" -r "$venv/requirements.txt" "py-spy==$PYSPY_VERSION"
  else
    pip_into "$venv" "flygym==$FLYGYM_VERSION" "py-spy==$PYSPY_VERSION"
  fi
  echo "$want" >"$venv/.installed"
}

# Software draws the frames: OSMesa needs neither a GPU nor a display. Without it the fly walks unseen (DRAWN is empty).
set_up_drawing() {
  DRAWN=
  if (need "/sbin/ldconfig -p | grep -q libOSMesa" libosmesa6); then
    DRAWN=1
    export MUJOCO_GL=osmesa
  else
    say "no OSMesa: nothing is rendered"
  fi
}
