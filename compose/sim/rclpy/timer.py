"""A periodic timer of an executor."""

import time


class Timer:
    def __init__(self, period, callback):
        self.period = period
        self.callback = callback
        self._due = time.monotonic() + period

    def time_until_next_call(self):
        """Seconds until the timer is due, 0 when it is."""
        return max(0.0, self._due - time.monotonic())

    def is_ready(self):
        return time.monotonic() >= self._due

    def call(self):
        self._due = max(self._due + self.period, time.monotonic())
        self.callback()
