"""The scanner at the back, which also keeps count of the ground it has seen."""

import numpy as np

from rover_sim.plugins.range_sensor import RANGE_MAX, RangeSensor, clean


class CoveragePlugin(RangeSensor):
    def on_reset(self, ctx):
        self._seen = 0.0

    def post_step(self, ctx):
        if self._is_due(ctx):
            self._scan = self._measure(ctx)
            self._seen += self._area()

    def _measure(self, ctx):
        origin, rotation = self._pose(ctx)
        ranges = ctx.raycaster.cast_many(
            origin, rotation, self._directions, self._ranges, self._geoms, self._body, RANGE_MAX, self._account)
        return clean(ranges)

    def _area(self):
        """Square metres within the newest sweep."""
        reach = np.minimum(self._scan, RANGE_MAX)
        return float(np.mean(reach * reach)) * self.settings['aperture'] / 2
