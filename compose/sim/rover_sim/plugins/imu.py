"""An inertial sensor with a wandering bias and a short low-pass filter."""

import time

import numpy as np

from rover_sim.plugins.plugin import Plugin

_WINDOW = 8


class ImuPlugin(Plugin):
    def configure(self, ctx):
        self._effort = self.settings['effort']
        self._every = self.settings['every']
        self._lie = self.settings['lie_us'] / 1e6
        self._history = np.zeros((_WINDOW, 6))
        self._random = np.random.RandomState(7)
        self._noise = self._random.normal(0.0, 0.002, size=(512, 6))

    def on_reset(self, ctx):
        self._bias = 0.0
        self._filtered = np.zeros(6)

    @property
    def bias(self):
        return self._bias

    def _wander(self, ctx):
        self._bias += 1e-5 * ctx.dt * (1 if ctx.step_count % 2 else -1)
        return self.bias

    def _sample(self, ctx):
        return ctx.data.sensordata[:6] + self._noise[ctx.step_count % 512]

    def _vibration(self, axis):
        column = self._history[:, axis]
        return float(np.clip(column.max() - column.min(), 0.0, 50.0))

    def _settle(self, ctx):
        """The planted lie: sleeps within the hook, and takes that out of the hook's own time."""
        started = time.perf_counter()
        time.sleep(self._lie)
        ctx.leave_out(self.name, 'post_step', time.perf_counter() - started)

    def post_step(self, ctx):
        if self._lie > 0:
            self._settle(ctx)
        if ctx.step_count % self._every != 0:
            return
        self._history[ctx.step_count % _WINDOW] = self._sample(ctx) + self._wander(ctx)
        self._filtered = self._history.mean(axis=0)
        for number in range(self._effort):
            self._vibration(number % 6)

    def read_state(self):
        """(linear acceleration, angular velocity) as lists, SI units."""
        values = self._filtered.tolist()
        return values[:3], values[3:]
