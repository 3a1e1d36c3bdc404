"""A loop that sleeps shortly and then waits for the GIL, which another thread keeps busy. Ends with its standard input."""

import sys
import threading
import time


def hog():
    count = 0
    while not ended.is_set():
        count += 1


def wait_for_end():
    sys.stdin.read()
    ended.set()


ended = threading.Event()
threading.Thread(target=wait_for_end, name="waiter", daemon=True).start()
threading.Thread(target=hog, name="hog", daemon=True).start()
print("ready", flush=True)
while not ended.is_set():
    time.sleep(0.0005)
    sum(range(2000))
