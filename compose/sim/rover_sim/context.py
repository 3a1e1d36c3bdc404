"""What hooks see of the simulation."""

import queue
import threading

import mujoco


class SimContext:
    """The state that hooks share. Only the physics thread touches `data`; others hand in commands with `submit`."""

    def __init__(self, config):
        self._config = config
        self._commands = queue.Queue()
        self._lock = threading.Lock()
        self._snapshot = {}
        self._handlers = {}
        self.spec_text = ''
        self.model = None
        self.data = None
        self.raycaster = None
        self.leave_out = None
        self._step = 0
        self._tracked = ()
        self.endpoints = []

    @property
    def config(self):
        return self._config

    @property
    def dt(self):
        return self._config['sim']['timestep']

    @property
    def time(self):
        return self.data.time

    @property
    def step_count(self):
        return self._step

    def submit(self, name, value):
        """Queue a command for the next step; any thread."""
        self._commands.put((name, value))

    def on_command(self, name, handler):
        self._handlers[name] = handler

    def drain_commands(self):
        while True:
            try:
                name, value = self._commands.get_nowait()
            except queue.Empty:
                return
            handler = self._handlers.get(name)
            if handler is not None:
                handler(value)

    def track(self, count):
        """Choose the bodies whose poses go into each snapshot, `count` of them, over again when there are fewer."""
        bodies = range(1, self.model.nbody)
        names = [mujoco.mj_id2name(self.model, mujoco.mjtObj.mjOBJ_BODY, body) for body in bodies]
        self._tracked = [('%s#%d' % (names[i % len(names)], i), bodies[i % len(names)]) for i in range(count)]

    def publish_snapshot(self, sim_time):
        """Leave the state of this step where other threads may read it."""
        self._step += 1
        poses = {}
        positions = self.data.xpos
        for name, body in self._tracked:
            poses[name] = self._pose(positions, body)
        snapshot = {'step': self._step, 'time': sim_time, 'poses': poses}
        with self._lock:
            self._snapshot = snapshot

    def snapshot(self):
        with self._lock:
            return self._snapshot

    @staticmethod
    def _pose(positions, body):
        x, y, z = positions[body].tolist()
        return (round(x, 4), round(y, 4), round(z, 4))
