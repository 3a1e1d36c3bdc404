"""A simulation that is run for so many simulated seconds and knows how long its loop alone took: `SECONDS FILE`. Needs MuJoCo."""
import random
import sys
import time

import mujoco

MODEL = mujoco.MjModel.from_xml_string(
    """<mujoco><option timestep="0.002"/><worldbody><geom type="plane" size="5 5 .1"/>
    <replicate count="6" offset=".3 0 .3"><body pos="0 0 1"><freejoint/><geom size=".1"/></body></replicate>
    </worldbody></mujoco>"""
)

# What a start costs differs from run to run: files in the cache or not, a network, a licence.
time.sleep(random.uniform(0.0, 0.3))
data = mujoco.MjData(MODEL)
steps = round(float(sys.argv[1]) / MODEL.opt.timestep)
began = time.monotonic()
for _ in range(steps):
    mujoco.mj_step(MODEL, data)
    if data.time % 1 < MODEL.opt.timestep:
        mujoco.mj_resetData(MODEL, data)
took = time.monotonic() - began
with open(sys.argv[2], "a", encoding="utf-8") as file:
    file.write(f"{steps * MODEL.opt.timestep} {took}\n")
