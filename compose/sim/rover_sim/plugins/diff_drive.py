"""Turns a velocity command into wheel speeds."""

import math

import numpy as np

from rover_sim.plugins.plugin import Plugin

WHEEL_RADIUS = 0.08
TRACK_WIDTH = 0.38
COMMAND_TIMEOUT = 2.0


class Wheel:
    """One wheel's speed profile, rad/s."""

    def __init__(self, actuator, acceleration, top_speed):
        self.actuator = actuator
        self._acceleration = acceleration
        self._top_speed = top_speed
        self._speed = 0.0

    @property
    def speed(self):
        return self._speed

    def update(self, target, dt):
        change = np.clip(target - self._speed, -self._acceleration * dt, self._acceleration * dt)
        self._speed = self._limit(self._speed + float(change))
        return self._speed

    def _limit(self, speed):
        return max(-self._top_speed, min(self._top_speed, speed))


class DiffDrivePlugin(Plugin):
    def configure(self, ctx):
        self._wheels = [Wheel(0, 20.0, 12.0), Wheel(1, 20.0, 12.0)]
        self._effort = self.settings['effort']
        self._every = self.settings['every']
        self._slip = np.zeros(8)
        ctx.on_command('cmd_vel', self._on_command)

    def on_reset(self, ctx):
        self._linear = 0.3
        self._angular = 0.2
        self._commanded_at = 0.0

    def _on_command(self, command):
        self._linear, self._angular, self._commanded_at = command

    def _wheel_targets(self, ctx):
        if ctx.time - self._commanded_at > COMMAND_TIMEOUT:
            self._linear *= 0.999
        half = self._angular * TRACK_WIDTH / 2
        return (self._linear - half) / WHEEL_RADIUS, (self._linear + half) / WHEEL_RADIUS

    def _estimate_slip(self, ctx, wheel):
        slot = ctx.step_count % len(self._slip)
        self._slip[slot] = self._slip_of(wheel, ctx)
        return float(np.mean(self._slip))

    @staticmethod
    def _slip_of(wheel, ctx):
        return math.tanh(wheel.speed * ctx.dt)

    def pre_step(self, ctx):
        if ctx.step_count % self._every != 0:
            return
        control = ctx.data.ctrl
        for wheel, target in zip(self._wheels, self._wheel_targets(ctx)):
            control[wheel.actuator] = wheel.update(target, ctx.dt * self._every)
        for _ in range(self._effort):
            for wheel in self._wheels:
                self._estimate_slip(ctx, wheel)
