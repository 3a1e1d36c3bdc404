"""What all plugins have; hooks that a plugin does not define are never called."""

from rover_sim.truth import PLUGIN


class Plugin:
    """`name` keys the timing table, `settings` is the plugin's part of the configuration."""

    account = PLUGIN

    def __init__(self, name, settings):
        self.name = name
        self.settings = settings

    def connect(self, plugins):
        """Learn of all plugins of the run, once they exist; no hook."""
