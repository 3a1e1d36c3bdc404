"""A second Python thread that wants the interpreter lock."""

import threading
import time

_PERIOD = 0.02


class GilHog:
    """Computes in pure Python for `share` of every 20 ms; a share of 1 never pauses."""

    def __init__(self, share):
        self._share = share
        self._stopped = False
        self.thread = threading.Thread(target=self.run, name='gil_hog', daemon=True)

    def start(self):
        self.thread.start()

    def run(self):
        while not self._stopped:
            started = time.monotonic()
            self._compute(started + _PERIOD * self._share)
            if self._share < 1.0:
                time.sleep(max(0.0, started + _PERIOD - time.monotonic()))

    @staticmethod
    def _compute(until):
        total = 0
        while time.monotonic() < until:
            for number in range(200):
                total += number * number
        return total

    def stop(self):
        self._stopped = True
        self.thread.join()
