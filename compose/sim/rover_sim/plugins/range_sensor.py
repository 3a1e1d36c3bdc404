"""What the two lidars share. Each casts from a file of its own, so that a stack tells which one it was."""

import math

import mujoco
import numpy as np

from rover_sim.plugins.plugin import Plugin
from rover_sim.raycast import fan

RANGE_MIN = 0.05
RANGE_MAX = 12.0


class RangeSensor(Plugin):
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

    def _is_due(self, ctx):
        return ctx.step_count % self._every == self._phase

    def _pose(self, ctx):
        """Position and rotation matrix of the sensor in the world."""
        return ctx.data.site_xpos[self._site], ctx.data.site_xmat[self._site].reshape(3, 3)

    def read_state(self):
        """The newest sweep as (angles, ranges), or None before the first."""
        if self._scan is None:
            return None
        return self._angles, self._scan.tolist()


def clean(ranges):
    """A sweep without its misses: infinity where no geom was hit."""
    return np.where(ranges < 0.0, math.inf, np.clip(ranges, RANGE_MIN, RANGE_MAX))
