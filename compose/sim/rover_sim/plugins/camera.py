"""A camera on the robot, rendered off screen every `every` steps."""

from rover_sim.plugins.plugin import Plugin
from rover_sim.rendering import OffscreenCamera


class CameraPlugin(Plugin):
    def configure(self, ctx):
        self._camera = OffscreenCamera(ctx.model, self.settings['width'], self.settings['height'], self.settings['mark'])
        self._every = self.settings['every']
        self._pixels = None

    def post_step(self, ctx):
        if ctx.step_count % self._every != 0:
            return
        self._pixels = self._camera.capture(ctx.data, self.settings['camera'])

    def read_state(self):
        """The newest picture, height x width x 3 bytes, or None before the first."""
        return self._pixels

    def shutdown(self, ctx):
        self._camera.close()
