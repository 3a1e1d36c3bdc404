"""A paced loop that says which signals it gets. SIGTERM ends it with exit code 9."""
import signal
import sys
import time


def told(number, _frame):
    print("got", signal.Signals(number).name, flush=True)
    if number == signal.SIGTERM:
        sys.exit(9)


for one in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1):
    signal.signal(one, told)


def pace(seconds):
    time.sleep(seconds)


while True:
    pace(0.005)
