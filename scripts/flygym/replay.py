"""A fly that walks: FlyGym replays on the CPU what was recorded of a real one, as its tutorials do, and says how long its steps took.

    python replay.py [--steps N] [--no-render] [--mujoco-timing]

Prints, when the loop has ended: one line with its throughput, FlyGym's own performance report, and MuJoCo's timers. With
`--mujoco-timing` those are a table as FlyGym's scripts print it, with the clock in Python that they install; without, one line of JSON
(`MUJOCO_TIMER_SNIPPET` of src/simulator/mujoco-timer-snippet.ts) from the clock that MuJoCo comes with.
"""

import argparse
import json
import sys
import time
import typing

# FlyGym asks for CPython 3.12. All that 3.11 lacks for what is used here is this mark, which does nothing at run time.
if not hasattr(typing, "override"):
    typing.override = lambda method: method

import mujoco
import numpy as np
from flygym import Simulation
from flygym.anatomy import ActuatedDOFPreset, AxisOrder, JointPreset, Skeleton
from flygym.compose import ActuatorType, FlatGroundWorld, KinematicPosePreset, NeuroMechFly
from flygym.utils.math import Rotation3D
from flygym_demo.spotlight_data import MotionSnippet
from tabulate import tabulate

TIMESTEP = 1e-4

# What FlyGym's table calls the timers of MuJoCo, in its order.
LABELS = {
    "STEP": "step (total)",
    "FORWARD": "forward dynamics",
    "POSITION": "position",
    "POS_KINEMATICS": "kinematics",
    "POS_INERTIA": "inertia",
    "POS_COLLISION": "collision",
    "COL_BROAD": "broad-phase",
    "COL_NARROW": "narrow-phase",
    "POS_MAKE": "make constraints",
    "POS_PROJECT": "project constraints",
    "VELOCITY": "velocity",
    "ACTUATION": "actuation",
    "CONSTRAINT": "constraint solve",
    "ADVANCE": "integrate (advance)",
}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=60_000, help="steps of 0.1 ms (default: 60000)")
    parser.add_argument("--no-render", action="store_true", help="without the camera that follows the fly")
    parser.add_argument("--mujoco-timing", action="store_true", help="FlyGym's table of MuJoCo's timers, by a clock in Python")
    return parser.parse_args()


def walking_fly(with_camera: bool) -> tuple[NeuroMechFly, Simulation]:
    fly = NeuroMechFly()
    pose = KinematicPosePreset.NEUTRAL
    fly.add_joints(Skeleton(axis_order=AxisOrder.YAW_PITCH_ROLL, joint_preset=JointPreset.LEGS_ONLY), neutral_pose=pose)
    dofs = fly.skeleton.get_actuated_dofs_from_preset(ActuatedDOFPreset.LEGS_ACTIVE_ONLY)
    fly.add_actuators(dofs, actuator_type=ActuatorType.POSITION, kp=150.0, neutral_input=pose)
    fly.add_leg_adhesion()
    fly.colorize()
    camera = fly.add_tracking_camera()
    world = FlatGroundWorld()
    world.add_fly(fly, [0, 0, 0.7], Rotation3D(format="quat", values=[1, 0, 0, 0]))
    sim = Simulation(world, timestep=TIMESTEP)
    if with_camera:
        # A video at the speed of life: software renders a frame in the time of hundreds of steps.
        sim.set_renderer(camera, playback_speed=1.0, buffer_frames=False)
    return fly, sim


def loop(fly: NeuroMechFly, sim: Simulation, targets: np.ndarray, steps: int) -> float:
    """Runs the steps, over and over what was recorded; returns the seconds that it took."""
    angles = np.empty((steps, len(fly.get_jointdofs_order())), dtype=np.float32)
    began = time.perf_counter()
    for step in range(steps):
        sim.set_actuator_inputs(fly.name, ActuatorType.POSITION, targets[step % len(targets)])
        sim.step_with_profile()
        angles[step] = sim.get_joint_angles(fly.name)
        if sim.renderer is not None:
            sim.render_as_needed_with_profile()
    return time.perf_counter() - began


def zero_timers(data: mujoco.MjData) -> None:
    for timer in data.timer:
        timer.number = 0
        timer.duration = 0.0


def timers_of(data: mujoco.MjData) -> dict[str, typing.Any]:
    names = [name for name in mujoco.mjtTimer.__members__ if name != "mjNTIMER"]
    return {name: data.timer[int(getattr(mujoco.mjtTimer, name))] for name in names}


def timing_table(data: mujoco.MjData) -> str:
    timers = timers_of(data)
    step = timers["mjTIMER_STEP"]
    rows = []
    for name, label in LABELS.items():
        timer = timers[f"mjTIMER_{name}"]
        if timer.number > 0:
            share = 100 * timer.duration / step.duration
            rows.append([label, 1e3 * timer.duration, 1e6 * timer.duration / step.number, share])
    head = ["Phase", "Total (ms)", "us/step", "% of step"]
    table = tabulate(rows, headers=head, floatfmt=".3f", tablefmt="rounded_outline")
    return f"\nMuJoCo per-phase physics timing ({step.number} steps):\n{table}"


def timer_line(model: mujoco.MjModel, data: mujoco.MjData) -> str:
    return json.dumps(
        {
            "mujoco_timer": 1,
            "unit": "s",
            "callback": mujoco.get_mjcb_time() is not None,
            "mujoco": mujoco.__version__,
            "python": sys.version.split()[0],
            "timestep": model.opt.timestep,
            "integrator": mujoco.mjtIntegrator(model.opt.integrator).name,
            "solver": mujoco.mjtSolver(model.opt.solver).name,
            "timer": {name: {"number": t.number, "duration": t.duration} for name, t in timers_of(data).items()},
        }
    )


def main() -> None:
    args = arguments()
    fly, sim = walking_fly(with_camera=not args.no_render)
    order = fly.get_actuated_jointdofs_order(ActuatorType.POSITION)
    targets = MotionSnippet().get_joint_angles(output_timestep=TIMESTEP, output_dof_order=order)
    if args.mujoco_timing:
        mujoco.set_mjcb_time(time.perf_counter)
    sim.reset()
    sim.set_leg_adhesion_states(fly.name, np.ones(6, dtype=bool))
    sim.warmup()
    zero_timers(sim.mj_data)

    seconds = loop(fly, sim, targets, args.steps)

    rate = args.steps / seconds
    with_what = "observation recording" if args.no_render else "observation recording and rendering"
    print(
        f"Simulated {args.steps} steps in {seconds:.3f}s "
        f"({rate:.0f} steps/s, {rate * TIMESTEP:.2f}x realtime, end-to-end incl. {with_what})."
    )
    sim.print_performance_report(show_in_notebook=False)
    print(timing_table(sim.mj_data) if args.mujoco_timing else timer_line(sim.mj_model, sim.mj_data))
    sim.close()


main()
