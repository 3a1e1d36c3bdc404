"""Steps as it is told on standard input: `COUNT THREADS` a line; says what it made of it. Needs MuJoCo."""
import sys
import threading

import mujoco

MODEL = mujoco.MjModel.from_xml_string(
    """<mujoco><option timestep="0.0015"/><worldbody><geom type="plane" size="1 1 .1"/>
    <body pos="0 0 .09"><freejoint/><geom size=".1"/></body></worldbody></mujoco>"""
)
DATA = [mujoco.MjData(MODEL) for _ in range(3)]


def steps(data, count, halves):
    for _ in range(count):
        if halves:
            mujoco.mj_step1(MODEL, data)
            mujoco.mj_step2(MODEL, data)
        else:
            mujoco.mj_step(MODEL, data)


print("ready", flush=True)
for line in sys.stdin:
    count, threads, *flags = line.split()
    if "compile" in flags:
        mujoco.MjModel.from_xml_string("<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody></mujoco>")
    if "reset" in flags:
        mujoco.mj_resetData(MODEL, DATA[0])
    made = [
        threading.Thread(target=steps, args=(DATA[index], int(count), "halves" in flags))
        for index in range(1, int(threads))
    ]
    for thread in made:
        thread.start()
    steps(DATA[0], int(count), "halves" in flags)
    for thread in made:
        thread.join()
    print(DATA[0].time, DATA[0]._address, MODEL._address, flush=True)
