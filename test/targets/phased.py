"""
A script with everything that a profile of its loop must not hold: an import that takes two seconds before, and five seconds
of plotting and saving after. `phased.py SECONDS [LINES]`: seconds of the loop; LINES are read from standard input afterwards and printed.
Ends with exit code 7.
"""
import sys
import time

import slow_import  # noqa: F401


def work():
    until = time.perf_counter() + 0.002
    while time.perf_counter() < until:
        pass


def pace(seconds):
    time.sleep(seconds)


def plot_results():
    until = time.perf_counter() + 3
    while time.perf_counter() < until:
        sum(range(1000))


def save_results():
    time.sleep(2)


print("loop begins", flush=True)
end = time.perf_counter() + float(sys.argv[1])
while time.perf_counter() < end:
    work()
    pace(0.003)
print("loop is over", file=sys.stderr, flush=True)
plot_results()
save_results()
if len(sys.argv) > 2:
    print("read:", sys.stdin.read(), flush=True)
sys.exit(7)
