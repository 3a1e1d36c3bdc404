"""A target for bench-sampler: `sampler_target.py HZ THREADS DEPTH`; HZ 0 never sleeps.

The main thread steps a loop DEPTH calls deep. THREADS - 1 others stand as deep and wake 20 times a second. Each line on standard input
is answered by one with the steps so far, the lateness of the paced steps since the last line (sorted quantiles, us) and the CPU time.
"""

import json
import sys
import threading
import time

hz, count, depth = float(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
steps = 0
late = []


def work():
    total = 0
    for number in range(300):
        total += number * number
    return total


def step(left):
    return work() if left <= 1 else step(left - 1)


def idle(left):
    if left > 1:
        return idle(left - 1)
    while True:
        time.sleep(0.05)


def answer():
    for _ in sys.stdin:
        seen = sorted(late)
        del late[:]
        at = lambda part: seen[min(len(seen) - 1, int(part * len(seen)))] * 1e6 if seen else None
        print(json.dumps({'steps': steps, 'at': time.monotonic(), 'cpu': time.process_time(), 'p50': at(0.5), 'p99': at(0.99)}))
        sys.stdout.flush()


for _ in range(count - 1):
    threading.Thread(target=idle, args=(depth,), daemon=True).start()
threading.Thread(target=answer, daemon=True).start()
print('ready')
sys.stdout.flush()
due = time.monotonic()
while True:
    if hz > 0:
        due += 1.0 / hz
        wait = due - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        now = time.monotonic()
        if wait > 0:
            late.append(now - due)
        else:
            due = now
    step(depth)
    steps += 1
