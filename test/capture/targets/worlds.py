"""A loop of MuJoCo, by its argument: `reset` every 100 steps; `threads` with data of their own that end; `fork` of a child that steps too; `step` that changes."""
import os
import sys
import threading
import time

import mujoco

MODEL = mujoco.MjModel.from_xml_string(
    """<mujoco><option timestep="0.002"/><worldbody><geom type="plane" size="1 1 .1"/>
    <body pos="0 0 .09"><freejoint/><geom size=".1"/></body></worldbody></mujoco>"""
)
DATA = mujoco.MjData(MODEL)
# So that no two of them have the same address.
KEPT = []


def steps(data, count, pause):
    for _ in range(count):
        mujoco.mj_step(MODEL, data)
        time.sleep(pause)


print("ready", flush=True)
if sys.argv[1] == "fork":
    steps(DATA, 100, 0.004)
    for _ in range(100):
        if os.fork() == 0:
            # Twice as often as its parent, for as long as that lives.
            while os.getppid() != 1:
                steps(DATA, 1, 0.002)
            os._exit(0)
        steps(DATA, 100_000, 0.004)
while True:
    if sys.argv[1] == "reset":
        steps(DATA, 100, 0.004)
        mujoco.mj_resetData(MODEL, DATA)
    elif sys.argv[1] == "threads":
        KEPT.extend([mujoco.MjData(MODEL), mujoco.MjData(MODEL)])
        made = [threading.Thread(target=steps, args=(data, 50, 0.004)) for data in KEPT[-2:]]
        for thread in made:
            thread.start()
        for thread in made:
            thread.join()
    elif sys.argv[1] == "step":
        steps(DATA, 100, 0.004)
        MODEL.opt.timestep = 0.003 - MODEL.opt.timestep
