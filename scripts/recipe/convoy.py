"""Who starves: a thread that steps MuJoCo beside one that computes in Python, by the steps of each call. Prints rates beside those alone."""

import threading
import time

import mujoco

XML = """<mujoco><worldbody><geom type="plane" size="1 1 .1"/>
<body pos="0 0 .09"><freejoint/><geom size=".1"/></body></worldbody></mujoco>"""
SECONDS = 2.0


def count_rounds(until, counted):
    rounds = 0
    while time.perf_counter() < until:
        for _ in range(1000):
            pass
        rounds += 1
    counted.append(rounds)


def steps_a_second(model, data, nstep, seconds):
    began = now = time.perf_counter()
    calls = 0
    while now - began < seconds:
        mujoco.mj_step(model, data, nstep)
        calls += 1
        now = time.perf_counter()
    return calls * nstep / (now - began)


def main():
    model = mujoco.MjModel.from_xml_string(XML)
    data = mujoco.MjData(model)
    steps_a_second(model, data, 1, 0.5)
    alone = []
    count_rounds(time.perf_counter() + SECONDS, alone)
    for nstep in (1, 1000, 100_000):
        by_itself = steps_a_second(model, data, nstep, SECONDS)
        rounds = []
        other = threading.Thread(target=count_rounds, args=(time.perf_counter() + SECONDS, rounds))
        other.start()
        together = steps_a_second(model, data, nstep, SECONDS)
        other.join()
        print(
            f"  nstep {nstep:6}: {by_itself:7.0f} steps/s alone, {together:7.0f} beside the other "
            f"({100 * together / by_itself:.0f} %); the other keeps {100 * rounds[0] / alone[0]:.0f} % of its rate"
        )


main()
