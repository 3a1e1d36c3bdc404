"""A planar lidar; the front one and the rear one share the ray caster."""

import math

import mujoco
import numpy as np

from rover_sim.plugins.plugin import Plugin
from rover_sim.raycast import fan

RANGE_MIN = 0.05
RANGE_MAX = 12.0


class LidarPlugin(Plugin):
    def configure(self, ctx):
        count = self.settings['rays']
        half = self.settings['aperture'] / 2
        self._angles = (-half, half)
        facing = self.settings['facing']
        self._directions = fan(count, facing - half, facing + half)
        self._ranges = np.full(count, -1.0)
        self._geoms = np.zeros(count, dtype=np.int32)
        self._site = mujoco.mj_name2id(ctx.model, mujoco.mjtObj.mjOBJ_SITE, self.settings['site'])
        self._body = mujoco.mj_name2id(ctx.model, mujoco.mjtObj.mjOBJ_BODY, 'base_link')
        self._every = self.settings['every']
        self._phase = self.settings['phase']
        self._account = self.settings['account']
        self._scan = None

    def post_step(self, ctx):
        if ctx.step_count % self._every != self._phase:
            return
        self._scan = self._sweep(ctx)

    def _sweep(self, ctx):
        origin = ctx.data.site_xpos[self._site]
        rotation = ctx.data.site_xmat[self._site].reshape(3, 3)
        ranges = ctx.raycaster.cast_many(
            origin, rotation, self._directions, self._ranges, self._geoms, self._body, RANGE_MAX, self._account)
        return self._clean(ranges)

    @staticmethod
    def _clean(ranges):
        return np.where(ranges < 0.0, math.inf, np.clip(ranges, RANGE_MIN, RANGE_MAX))

    def read_state(self):
        """The newest sweep as (angles, ranges), or None before the first."""
        if self._scan is None:
            return None
        return self._angles, self._scan.tolist()
