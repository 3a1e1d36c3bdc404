"""The engine: builds the world from its plugins and steps it."""

import time
from contextlib import contextmanager

import mujoco

from rover_sim.context import SimContext
from rover_sim.raycast import RayCaster
from rover_sim.registry import resolve_plugins
from rover_sim.truth import LEAVE, PHYSICS, monotonic_ns, thread_time_ns
from rover_sim.world import load_world, with_clutter

_ENGINE = '<engine>'


class Engine:
    """Owns model and data. `mark` is the truth's `mark`, or None for an engine without accounts."""

    def __init__(self, config, plugins=None, profile=False, mark=None):
        self.config = config
        self.profile = profile
        self._mark = mark
        # group -> label -> [total seconds, count, longest]
        self._timing = {}
        if plugins is None:
            with self._span('resolve_plugins'):
                plugins = resolve_plugins(config)
        self.plugins = plugins
        self.ctx = SimContext(config)
        self.ctx.leave_out = self._leave_out
        self._pre_step = []
        self._post_step = []

    @contextmanager
    def _span(self, label, group=_ENGINE):
        started = time.perf_counter()
        yield
        if self.profile:
            self._record(group, label, time.perf_counter() - started)

    def _record(self, group, label, seconds):
        entry = self._timing.setdefault(group, {}).setdefault(label, [0.0, 0, 0.0])
        entry[0] += seconds
        entry[1] += 1
        if seconds > entry[2]:
            entry[2] = seconds

    def _leave_out(self, name, hook, seconds):
        """Take time out of a hook's account, which no honest plugin asks for."""
        if self.profile:
            self._timing.setdefault(name, {}).setdefault(hook, [0.0, 0, 0.0])[0] -= seconds

    def setup(self):
        """Load, build, compile, configure, reset. Raises OSError or ValueError for a world that cannot be loaded."""
        with self._span('setup_total'):
            with self._span('world_load'):
                text = load_world(self.config['sim']['world'])
            self.ctx.spec_text = text
            self._call_all('build')
            with self._span('dedup_assets'):
                text = with_clutter(self.ctx.spec_text, self.config['load']['bodies'])
            with self._span('compile'):
                self.model = mujoco.MjModel.from_xml_string(text)
                self.model.opt.timestep = self.config['sim']['timestep']
            with self._span('make_data'):
                self.data = mujoco.MjData(self.model)
            self.ctx.model = self.model
            self.ctx.data = self.data
            self.ctx.raycaster = RayCaster(self.model, self.data, self._mark)
            mujoco.mj_forward(self.model, self.data)
            self._call_all('configure')
        self._call_all('on_reset')
        self.ctx.track(self.config['load']['tracked'])
        self._pre_step = self._hooks('pre_step')
        self._post_step = self._hooks('post_step')

    def _overridden(self, plugin, hook):
        return getattr(type(plugin), hook, None) is not None

    def _call_all(self, hook):
        for plugin in self.plugins:
            if self._overridden(plugin, hook):
                with self._span(hook, plugin.name):
                    getattr(plugin, hook)(self.ctx)

    def _hooks(self, hook):
        return [(plugin.name, hook, plugin.account, getattr(plugin, hook))
                for plugin in self.plugins if self._overridden(plugin, hook)]

    def step(self):
        mark = self._mark
        self.ctx.drain_commands()
        for name, hook, account, function in self._pre_step:
            self._timed(name, hook, account, function)
        if mark is not None:
            mark(PHYSICS)
            mark(thread_time_ns())
            mark(monotonic_ns())
        mujoco.mj_step(self.model, self.data)
        if mark is not None:
            mark(monotonic_ns())
            mark(thread_time_ns())
            mark(LEAVE)
        for name, hook, account, function in self._post_step:
            self._timed(name, hook, account, function)
        self.ctx.publish_snapshot(self.data.time)

    def _timed(self, name, hook, account, function):
        mark = self._mark
        if mark is not None:
            mark(account)
            mark(thread_time_ns())
            mark(monotonic_ns())
        # Nothing but the hook is timed: the marks are none of its work.
        if self.profile:
            started = time.perf_counter()
            function(self.ctx)
            self._record(name, hook, time.perf_counter() - started)
        else:
            function(self.ctx)
        if mark is not None:
            mark(monotonic_ns())
            mark(thread_time_ns())
            mark(LEAVE)

    def shutdown(self):
        self._call_all('shutdown')

    def timing_report(self):
        """plugin -> hook -> mean microseconds per call."""
        return {group: {label: total / count * 1e6 for label, (total, count, _) in labels.items()}
                for group, labels in self._timing.items() if group != _ENGINE}

    def load_report(self):
        """{'phases': {label: total s}, 'plugins': {name: {hook: (count, total s, longest s)}}}, build and configure."""
        phases = {label: entry[0] for label, entry in self._timing.get(_ENGINE, {}).items()}
        plugins = {}
        for group, labels in self._timing.items():
            for label in ('build', 'configure'):
                if group != _ENGINE and label in labels:
                    total, count, longest = labels[label]
                    plugins.setdefault(group, {})[label] = (count, total, longest)
        return {'phases': phases, 'plugins': plugins}
