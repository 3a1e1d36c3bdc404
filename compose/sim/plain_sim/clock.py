"""Paces the plain loop."""

import time

from rover_sim.truth import LEAVE, PACER, monotonic_ns, thread_time_ns


class Pacer:
    """As rover_sim's: sleeps until the step is due, drops the debt when late."""

    def __init__(self, period_ns, mark):
        self._period = period_ns
        self._mark = mark
        self._next = None
        self.requested_ns = 0
        self.sleeps = 0
        self.resyncs = 0

    def wait(self):
        mark = self._mark
        if mark is not None:
            mark(PACER)
            mark(thread_time_ns())
            mark(monotonic_ns())
        now = monotonic_ns()
        due = self._next if self._next is not None else now
        if now < due:
            self.requested_ns += due - now
            self.sleeps += 1
            time.sleep((due - now) / 1e9)
        elif now > due:
            self.resyncs += 1
            due = now
        self._next = due + self._period
        if mark is not None:
            mark(monotonic_ns())
            mark(thread_time_ns())
            mark(LEAVE)
