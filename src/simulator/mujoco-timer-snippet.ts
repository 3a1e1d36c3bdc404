/**
 * What to put into a Python program whose MuJoCo steps are to be told apart: it writes down the timers that MuJoCo keeps in each `mjData`, and
 * of which run they are. It installs nothing: since 3.3.1 the Python package comes with a clock for them, in seconds, that costs no call to
 * Python. Phases go by name, since 3.0 numbers them differently, and time spent before a reset is gone: MuJoCo clears its timers with the data.
 */
export const MUJOCO_TIMER_SNIPPET = `import json, os, platform, sys, mujoco

def dump_mujoco_timer(model, data, file=sys.stderr):
    names = [n for n in mujoco.mjtTimer.__members__ if n != "mjNTIMER"]
    stats = {n: data.timer[int(getattr(mujoco.mjtTimer, n))] for n in names}
    json.dump({"mujoco_timer": 1, "unit": "s", "callback": mujoco.get_mjcb_time() is not None,
               "mujoco": mujoco.__version__, "python": sys.version.split()[0],
               "pid": os.getpid(), "kernel": platform.release(), "timestep": model.opt.timestep,
               "integrator": mujoco.mjtIntegrator(model.opt.integrator).name,
               "solver": mujoco.mjtSolver(model.opt.solver).name,
               "timer": {n: {"number": s.number, "duration": s.duration} for n, s in stats.items()}}, file)
    file.write("\\n")
`;
