"""Everything one run owns: truth, engine, pacer, hogs; opened before the loop, closed after it."""

import os
import sys

import mujoco

from rover_sim.calibrate import calibrate, cpu_per_step
from rover_sim.clock import Pacer
from rover_sim.config import apply_setting, build_config
from rover_sim.cpu_hog import start_cpu_hogs, stop_cpu_hogs
from rover_sim.engine import Engine
from rover_sim.gil_hog import GilHog
from rover_sim.load import PLAIN, format_load
from rover_sim.prctl import set_timer_slack
from rover_sim.runner import Runner
from rover_sim.timer_dump import format_run, format_timers
from rover_sim.timing_text import format_load_timing, format_timing
from rover_sim.truth import Truth

# The ring holds this long at full speed: asap is taken for 8000 steps/s.
RING_SECONDS = 120
ASAP_ROWS = 480000
CALIBRATION_SECONDS = 0.4


class Session:
    def __init__(self, options):
        self.options = options
        self.truth = None
        self.dump_path = options.truth_json or (options.truth + '.json' if options.truth else None)
        self.runner = None
        self._engine = None
        self._gil_hog = None
        self._cpu_hogs = []

    def open(self):
        """Raises ValueError, OSError or NoRendering with a text for the user; `close` undoes what was done."""
        options = self.options
        if options.timer_slack_ns > 0:
            set_timer_slack(options.timer_slack_ns)
        if options.switch_interval is not None:
            sys.setswitchinterval(options.switch_interval)
        load = self._choose_load()
        self._cpu_hogs = start_cpu_hogs(options.cpu_hogs)
        config_steps = self._build(load)
        self._attach_sources()
        if options.gil_hog is not None:
            self._gil_hog = GilHog(options.gil_hog)
            self._gil_hog.start()
            if self.truth is not None:
                self.truth.watch_hog(self._gil_hog.thread)
        self.runner = Runner(self._engine, self._pacer, self.truth, config_steps, self._write_ready_file)

    def _choose_load(self):
        options = self.options
        if options.busy is None:
            return options.load or PLAIN
        factor = options.pacing['factor'] if isinstance(options.pacing, dict) else 1.0
        load = calibrate(options.busy, 1e9 / options.hz / factor, self._measure, _say)
        _say('calibration: --load %s' % format_load(load))
        return load

    def _measure(self, load):
        """Thread-CPU per step and bucket of a short paced run, without the executor's thread."""
        options = self.options
        truth = Truth(None, 1, {})
        engine = Engine(self._config(load, spin_executor=False, camera=False, mark=truth.mark), mark=truth.mark)
        engine.setup()
        try:
            pacer = Pacer.from_config(options.pacing, 1.0 / options.hz, mark=truth.mark)
            truth.sources.pacer = pacer
            rate = options.hz * (options.pacing['factor'] if isinstance(options.pacing, dict) else 1.0)
            steps = max(20, int(CALIBRATION_SECONDS * rate))
            Runner(engine, pacer, None, steps // 4).run()
            truth.discard_marks()
            Runner(engine, pacer, truth, steps).run()
            return cpu_per_step(truth.snapshot()['row'])
        finally:
            engine.shutdown()
            truth.close()

    def _config(self, load, spin_executor, camera, mark):
        options = self.options
        config = build_config(
            load, 1.0 / options.hz, None if options.target == 'rover' else options.target,
            bridge=not options.no_ros, camera=camera, spin_executor=spin_executor, mark=mark)
        if options.lie is not None:
            config['plugins']['imu']['lie_us'] = options.lie
        for assignment in options.settings:
            apply_setting(config, assignment)
        return config

    def _build(self, load):
        options = self.options
        if not options.no_truth:
            self.truth = self._open_truth(load)
        mark = self.truth.mark if self.truth is not None else None
        config = self._config(load, spin_executor=True, camera=options.render, mark=mark)
        timestep = config['sim']['timestep']
        engine = Engine(config, profile=options.profile, mark=mark)
        engine.setup()
        self._engine = engine
        if options.profile:
            sys.stderr.write(format_load_timing(self._engine.load_report()) + '\n')
        self._pacer = Pacer.from_config(options.pacing, timestep, spin=options.spin, mark=mark)
        counts = [options.steps] if options.steps is not None else []
        if options.seconds is not None:
            counts.append(max(1, int(round(options.seconds / timestep))))
        return min(counts) if counts else None

    def _open_truth(self, load):
        options = self.options
        if options.pacing == 'asap':
            rows = ASAP_ROWS
        else:
            factor = options.pacing['factor'] if isinstance(options.pacing, dict) else 1.0
            rows = max(120000, int(RING_SECONDS * options.hz * factor))
        meta = {
            'program': 'rover_sim', 'pid': os.getpid(), 'python': sys.version.split()[0],
            'mujoco': mujoco.__version__, 'hz': options.hz, 'pacing': options.pacing, 'spin': options.spin,
            'load': dict(load._asdict()), 'timerSlackNs': options.timer_slack_ns,
        }
        return Truth(options.truth, options.truth_rows or rows, meta)

    def _attach_sources(self):
        if self.truth is None:
            return
        sources = self.truth.sources
        sources.pacer = self._pacer
        timer = self._engine.data.timer
        sources.timer_bytes = timer.duration.tobytes
        numbers = timer.number
        sources.timer_calls = lambda: int(numbers[0])
        for plugin in self._engine.plugins:
            if plugin.settings['type'] == 'ros2_bridge':
                sources.published = plugin.published
                self.truth.watch_executor(plugin.executor, plugin.thread)

    def _write_ready_file(self):
        path = self.options.ready_file
        if path is not None:
            with open(path + '.part', 'w') as stream:
                stream.write('%d\n' % os.getpid())
            os.replace(path + '.part', path)

    def report(self):
        """What a run says when it ends by itself or by a signal."""
        if self.options.profile:
            sys.stderr.write(format_timing(self._engine.timing_report()) + '\n')
        if self.options.timers:
            _say(format_run(self.runner.done, self.runner.wall_s, self._engine.data.time))
            _say(format_timers(self._engine.model, self._engine.data))
        if self.truth is not None:
            self.truth.dump(self.dump_path)

    def close(self):
        if self._gil_hog is not None:
            self._gil_hog.stop()
        if self._engine is not None:
            self._engine.shutdown()
        stop_cpu_hogs(self._cpu_hogs)
        if self.truth is not None:
            self.truth.close()


def _say(text):
    sys.stderr.write(text + '\n')
    sys.stderr.flush()
