"""The planar lidar on the mast."""

from rover_sim.plugins.range_sensor import RANGE_MAX, RangeSensor, clean


class LidarPlugin(RangeSensor):
    def post_step(self, ctx):
        if self._is_due(ctx):
            self._scan = self._sweep(ctx)

    def _sweep(self, ctx):
        origin, rotation = self._pose(ctx)
        ranges = ctx.raycaster.cast_many(
            origin, rotation, self._directions, self._ranges, self._geoms, self._body, RANGE_MAX, self._account)
        return clean(ranges)
