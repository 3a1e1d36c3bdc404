"""A loop that steps for a few percent of its time and sleeps for the rest."""

import time


def mj_step(seconds):
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        pass


print("ready", flush=True)
while True:
    mj_step(0.0002)
    time.sleep(0.004)
