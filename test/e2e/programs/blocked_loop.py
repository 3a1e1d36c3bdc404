"""An event loop that known functions block now and then, at random times and for random lengths, until standard input is closed.

Measures its own lag as raccoon's StepProfiler does, and writes a trace as that does, into TRACE; what blocked it, into TRUTH, by the clock of
the trace, with where that clock began. Prints `ready` when it turns.
    python3 blocked_loop.py SEED TRACE TRUTH
"""

import asyncio
import gc
import json
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "fixtures/simulator/make"))
import raccoon  # noqa: E402

INTERVAL_S = raccoon.INTERVAL_MS / 1000


class Ring:
    """Garbage that only a collection finds."""

    def __init__(self):
        self.own = self


def read_servo(length):
    time.sleep(length)


def plan_route(length):
    end = time.perf_counter() + length
    total = 0
    while time.perf_counter() < end:
        total += sum(range(200))
    return total


def load_map(length):
    end = time.perf_counter() + length
    text = json.dumps([{"wall": [at, -at], "door": None} for at in range(400)], indent=1)
    while time.perf_counter() < end:
        # Without its C accelerator, so that the time is in functions of the library.
        json.loads(text, cls=SlowDecoder)


class SlowDecoder(json.JSONDecoder):
    def __init__(self):
        super().__init__()
        self.parse_array = json.decoder.JSONArray
        self.parse_object = json.decoder.JSONObject
        self.scan_once = json.scanner.py_make_scanner(self)


def free_all(length):
    end = time.perf_counter() + length
    while time.perf_counter() < end:
        gc.collect()


BLOCKS = (read_servo, plan_route, load_map, free_all)


class Mission:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.is_over = False
        self.began = time.perf_counter()
        self.lag = []
        self.truth = []
        self.rings = [Ring() for _ in range(20_000)]

    def now(self):
        return time.perf_counter() - self.began

    async def watch(self):
        last = self.now()
        while True:
            await asyncio.sleep(INTERVAL_S)
            now = self.now()
            self.lag.append((now, max(now - last - INTERVAL_S, 0.0) * 1000))
            last = now

    async def drive(self):
        while not self.is_over:
            await asyncio.sleep(self.random.uniform(0.08, 0.35))
            block = self.random.choice(BLOCKS)
            start = self.now()
            block(self.random.uniform(0.02, 0.09))
            self.truth.append({"function": block.__name__, "start": start, "end": self.now()})

    def end(self):
        self.is_over = True
        asyncio.get_running_loop().remove_reader(sys.stdin)

    async def run(self):
        asyncio.get_running_loop().add_reader(sys.stdin, self.end)
        watch = asyncio.ensure_future(self.watch())
        print("ready", flush=True)
        await self.drive()
        watch.cancel()


def main():
    seed, trace, truth = sys.argv[1:]
    mission = Mission(int(seed))
    asyncio.run(mission.run())
    total = mission.now()
    step = raccoon.Step("drive()", "drive()", 0, 0.0, total, total)
    Path(trace).write_text(json.dumps(raccoon.trace([step], mission.lag)))
    Path(truth).write_text(json.dumps({"began": mission.began, "blocks": mission.truth}))


if __name__ == "__main__":
    main()
