"""Makes objects of a class without end; ends when its standard input is closed."""
import os
import sys
import threading


class Thing:
    def __init__(self, count):
        self.total = 0
        for i in range(count):
            self.total += i


def make():
    for _ in range(1000):
        Thing(1000)


def wait_for_parent():
    sys.stdin.read()
    os._exit(0)


threading.Thread(target=wait_for_parent, daemon=True).start()
# Calls are specialised after some rounds.
make()
print("ready", flush=True)
while True:
    make()
