"""Dead reckoning from the wheel speeds."""

import array
import math

import numpy as np

from rover_sim.plugins.diff_drive import TRACK_WIDTH, WHEEL_RADIUS
from rover_sim.plugins.plugin import Plugin


def normalise_angle(angle):
    return math.atan2(math.sin(angle), math.cos(angle))


class OdometryPlugin(Plugin):
    def configure(self, ctx):
        self._effort = self.settings['effort']
        self._every = self.settings['every']

    def on_reset(self, ctx):
        self._x = 0.0
        self._y = 0.0
        self._heading = 0.0
        self._twist = (0.0, 0.0)
        self._covariance = np.eye(3) * 1e-3

    @property
    def heading(self):
        return self._heading

    def _wheel_speeds(self, ctx):
        left, right = ctx.data.sensordata[10:12].tolist()
        return left * WHEEL_RADIUS, right * WHEEL_RADIUS

    def _integrate(self, linear, angular, dt):
        middle = self.heading + angular * dt / 2
        self._x += linear * math.cos(middle) * dt
        self._y += linear * math.sin(middle) * dt
        self._heading = normalise_angle(self.heading + angular * dt)

    def _grow_covariance(self, linear, dt):
        jacobian = self._jacobian(linear, dt)
        self._covariance = np.clip(jacobian.dot(self._covariance).dot(jacobian.T), -1.0, 1.0)

    def _jacobian(self, linear, dt):
        jacobian = np.eye(3)
        jacobian[0, 2] = -linear * math.sin(self.heading) * dt
        jacobian[1, 2] = linear * math.cos(self.heading) * dt
        return jacobian

    def post_step(self, ctx):
        if ctx.step_count % self._every != 0:
            return
        left, right = self._wheel_speeds(ctx)
        linear = (left + right) / 2
        angular = (right - left) / TRACK_WIDTH
        self._twist = (linear, angular)
        self._integrate(linear, angular, ctx.dt * self._every)
        for _ in range(self._effort):
            self._grow_covariance(linear, ctx.dt * self._every)

    def read_odom(self):
        """Pose, twist and the two 6 x 6 covariances of the estimate."""
        full = np.zeros((6, 6))
        full[:3, :3] = self._covariance
        return {
            'position': (self._x, self._y, 0.0),
            'orientation': (0.0, 0.0, math.sin(self._heading / 2), math.cos(self._heading / 2)),
            'twist': self._twist,
            'covariance': array.array('d', full.ravel().tolist()),
        }
