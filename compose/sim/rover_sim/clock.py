"""Paces the loop against the wall clock."""

import time

from rover_sim.truth import LEAVE, PACER, monotonic_ns, thread_time_ns


class Pacer:
    """Holds the loop to `period_ns` per step; None never waits. `mark` is the truth's, or None.

    A late loop drops its debt: the schedule starts afresh at the step that came late. `requested_ns` and `sleeps` count
    what was asked of the kernel, `resyncs` the late steps.
    """

    def __init__(self, period_ns, spin=False, mark=None):
        self._period = period_ns
        self._spin = spin
        self._mark = mark
        self._next = None
        self.requested_ns = 0
        self.sleeps = 0
        self.resyncs = 0

    @classmethod
    def from_config(cls, config, timestep, spin=False, mark=None):
        """`config` is 'asap', None or 'realtime', or {'factor': N}; `timestep` in seconds of simulation."""
        if config == 'asap':
            return cls(None, mark=mark)
        factor = 1.0 if config in (None, 'realtime') else config['factor']
        return cls(int(round(timestep / factor * 1e9)), spin=spin, mark=mark)

    def wait(self):
        if self._period is None:
            return
        mark = self._mark
        if mark is not None:
            entered = monotonic_ns()
            mark(PACER)
            mark(thread_time_ns())
            mark(entered)
        now = monotonic_ns()
        due = self._next if self._next is not None else now
        if now >= due:
            if now > due:
                self.resyncs += 1
            due = now
        elif self._spin:
            while monotonic_ns() < due:
                pass
        else:
            self.requested_ns += due - now
            self.sleeps += 1
            time.sleep((due - now) / 1e9)
        self._next = due + self._period
        if mark is not None:
            left_cpu = thread_time_ns()
            mark(monotonic_ns())
            mark(left_cpu)
            mark(LEAVE)
