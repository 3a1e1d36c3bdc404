"""The part of a bridge that no middleware knows: which reading is due, and handing it on."""

from rover_sim.plugins.plugin import Plugin
from rover_sim.truth import PUBLISHING


class Endpoint:
    """One outgoing topic: `read` gives the payload or None, `fill` puts it into a message of `message_type`."""

    def __init__(self, topic, message_type, frame_id, every, read, fill):
        self.topic = topic
        self.message_type = message_type
        self.frame_id = frame_id
        self._every = every
        self._read = read
        self.fill = fill
        self.publisher = None

    def is_due(self, step):
        return step % self._every == 0

    def read(self):
        return self._read()


class BridgeBase(Plugin):
    """Runs last in every step. Subclasses connect, publish and tick the clock."""

    account = PUBLISHING

    def configure(self, ctx):
        self._endpoints = []
        self._connect(ctx)

    def post_step(self, ctx):
        step = ctx.step_count
        for endpoint in self._endpoints:
            if endpoint.is_due(step) and not self._skip_unsubscribed(endpoint):
                payload = endpoint.read()
                if payload is not None:
                    self._publish(endpoint, payload, ctx)
        self._tick(ctx)
