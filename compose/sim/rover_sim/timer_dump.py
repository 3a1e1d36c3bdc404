"""MuJoCo's own timers as one line of JSON, and what a run came to: the rest of what a profiler holds a recording against."""

import json
import os
import platform
import sys

import mujoco


def format_run(steps, wall_s, sim_s):
    """Steps and times of the loop, worded as FlyGym's scripts word theirs."""
    if wall_s <= 0:
        return ''
    return 'Simulated %d steps in %.3fs (%d steps/s, %.2fx realtime, whole loop).' % (
        steps, wall_s, round(steps / wall_s), sim_s / wall_s)


def format_timers(model, data):
    """The dump of `profiler tables`; nothing is installed, MuJoCo times its phases anyway."""
    names = [name for name in mujoco.mjtTimer.__members__ if name != 'mjNTIMER']
    stats = {name: data.timer[int(getattr(mujoco.mjtTimer, name))] for name in names}
    return json.dumps({
        'mujoco_timer': 1, 'unit': 's', 'callback': mujoco.get_mjcb_time() is not None,
        'mujoco': mujoco.__version__, 'python': sys.version.split()[0],
        'pid': os.getpid(), 'kernel': platform.release(), 'timestep': model.opt.timestep,
        'integrator': mujoco.mjtIntegrator(model.opt.integrator).name,
        'solver': mujoco.mjtSolver(model.opt.solver).name,
        'timer': {name: {'number': stat.number, 'duration': stat.duration} for name, stat in stats.items()},
    })
