"""Steps MuJoCo in the main thread and counts in a worker of pure Python: each alone, then both together.

Prints one JSON line for every round and nstep. With --endless it steps beside the worker until its standard input is closed, for a
sampler to look at; `ready` says that it does.
"""
import argparse
import json
import os
import sys
import threading
import time

import mujoco

MODEL = """
<mujoco>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body pos="0 0 .2"><freejoint/><geom type="box" size=".1 .1 .1"/></body>
  </worldbody>
</mujoco>
"""


class Worker(threading.Thread):
    """Computes as a planner of pure Python does: it never lets go of the GIL by itself."""

    def __init__(self):
        super().__init__(name="worker", daemon=True)
        self.loops = 0
        self.ended = False

    def run(self):
        while not self.ended:
            self.compute()

    def compute(self):
        total = 0
        for number in range(100):
            total += number
        self.loops += 1

    def stop(self):
        self.ended = True
        self.join()


def started_worker():
    worker = Worker()
    worker.start()
    while worker.loops == 0:
        time.sleep(0.001)
    return worker


def step(model, data, nstep):
    mujoco.mj_step(model, data, nstep=nstep)


def steps_per_second(model, data, nstep, seconds):
    """No call is cut: the last one may end late, and its time counts."""
    steps = 0
    begin = now = time.perf_counter()
    while now < begin + seconds:
        step(model, data, nstep)
        steps += nstep
        now = time.perf_counter()
    return steps / (now - begin), now - begin


def waited_for_cpu():
    """Seconds that the threads of this process were ready to run without a CPU: what other programs here took from them."""
    waited = 0
    for tid in os.listdir("/proc/self/task"):
        with open(f"/proc/self/task/{tid}/schedstat") as file:
            waited += int(file.read().split()[1])
    return waited / 1e9


def measure(model, nstep, seconds):
    data = mujoco.MjData(model)
    step(model, data, 200)
    waited = waited_for_cpu()
    steps_alone, wall = steps_per_second(model, data, nstep, seconds)
    waited_alone = (waited_for_cpu() - waited) / wall

    worker = started_worker()
    begin, loops = time.perf_counter(), worker.loops
    time.sleep(seconds)
    loops_alone = (worker.loops - loops) / (time.perf_counter() - begin)

    waited, cpu, loops = waited_for_cpu(), time.process_time(), worker.loops
    steps_together, wall = steps_per_second(model, data, nstep, seconds)
    loops_together = (worker.loops - loops) / wall
    cpus_together = (time.process_time() - cpu) / wall
    waited_together = (waited_for_cpu() - waited) / wall
    worker.stop()
    return {
        "nstep": nstep,
        "stepsAlone": steps_alone,
        "stepsTogether": steps_together,
        "loopsAlone": loops_alone,
        "loopsTogether": loops_together,
        "cpusTogether": cpus_together,
        "waitedAlone": waited_alone,
        "waitedTogether": waited_together,
    }


def step_beside_worker(model, nstep):
    data = mujoco.MjData(model)
    ended = threading.Event()

    def wait_for_parent():
        sys.stdin.read()
        ended.set()

    threading.Thread(target=wait_for_parent, name="parent", daemon=True).start()
    started_worker()
    print("ready", flush=True)
    while not ended.is_set():
        step(model, data, nstep)


def read_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nstep", default="1,1000,100000")
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--model")
    parser.add_argument("--switch-interval", type=float)
    parser.add_argument("--endless", action="store_true")
    return parser.parse_args()


def main():
    options = read_arguments()
    if options.switch_interval is not None:
        sys.setswitchinterval(options.switch_interval)
    model = mujoco.MjModel.from_xml_path(options.model) if options.model else mujoco.MjModel.from_xml_string(MODEL)
    counts = [int(count) for count in options.nstep.split(",")]
    if options.endless:
        step_beside_worker(model, counts[0])
        return
    for _ in range(options.rounds):
        for nstep in counts:
            print(json.dumps(measure(model, nstep, options.seconds)), flush=True)


main()
