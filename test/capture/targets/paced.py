"""A 500 Hz loop that works a little and sleeps, beside a thread that waits. Ends with its standard input."""

import sys
import threading
import time


def work():
    until = time.perf_counter() + 0.0004
    while time.perf_counter() < until:
        pass


def wait_for_end():
    sys.stdin.read()
    ended.set()


ended = threading.Event()
threading.Thread(target=wait_for_end, name="waiter", daemon=True).start()
print("ready", flush=True)
while not ended.is_set():
    work()
    time.sleep(0.0016)
