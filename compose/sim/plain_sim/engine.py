"""One step: a native call that gives the interpreter lock away, as physics does, then the hook."""

import hashlib

from rover_sim.truth import LEAVE, PHYSICS, PLUGIN, monotonic_ns, thread_time_ns


class Engine:
    """`block` is hashed in every step; above 2047 bytes hashlib releases the lock meanwhile."""

    def __init__(self, plugin, block, mark):
        self._plugin = plugin
        self._block = block
        self._mark = mark
        self.steps = 0
        self.digest = b''

    def step(self):
        mark = self._mark
        if mark is not None:
            mark(PHYSICS)
            mark(thread_time_ns())
            mark(monotonic_ns())
        self.digest = hashlib.sha256(self._block).digest()
        if mark is not None:
            mark(monotonic_ns())
            mark(thread_time_ns())
            mark(LEAVE)
        self._timed(self._plugin.post_step)
        self.steps += 1

    def _timed(self, hook):
        mark = self._mark
        if mark is None:
            hook(self.steps)
            return
        mark(PLUGIN)
        mark(thread_time_ns())
        mark(monotonic_ns())
        hook(self.steps)
        mark(monotonic_ns())
        mark(thread_time_ns())
        mark(LEAVE)
