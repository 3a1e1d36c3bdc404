"""Starts threads all the time; each lives for some milliseconds."""

import threading
import time


def work():
    total = 0
    for number in range(3000):
        total += number
    time.sleep(0.004)


print("ready", flush=True)
while True:
    threading.Thread(target=work).start()
    time.sleep(0.003)
