"""Runs the simulation: builds it from the options, steps it, ends it."""

import os
import signal
import sys
import time

from rover_sim.options import parse_options
from rover_sim.rendering import NoRendering, prepare_rendering


class Runner:
    """The loop. `on_stepping` is called once, after the first steps."""

    def __init__(self, engine, pacer, truth, steps, on_stepping=None):
        self._engine = engine
        self._pacer = pacer
        self._truth = truth
        self._steps = steps
        self._on_stepping = on_stepping
        self._done = 0
        self.wall_s = 0.0
        self._stopped = False
        self._dump_wanted = False
        self._dump_path = None

    @property
    def done(self):
        return self._done

    def stop(self):
        self._stopped = True

    def want_dump(self, path):
        """Dump the truth after the step that runs now."""
        self._dump_wanted = True
        self._dump_path = path

    def run(self):
        if self._truth is not None:
            self._truth.start()
        started = time.perf_counter()
        self._run_headless()
        self.wall_s = time.perf_counter() - started
        return self._done

    def _run_headless(self):
        while not self._stopped and (self._steps is None or self._done < self._steps):
            self._tick()
            if self._on_stepping is not None and (self._done == 5 or self._done == self._steps):
                self._on_stepping()
                self._on_stepping = None
            if self._dump_wanted:
                self._dump_wanted = False
                self._truth.dump(self._dump_path)

    def _tick(self):
        self._pacer.wait()
        self._engine.step()
        self._done += 1
        if self._truth is not None:
            self._truth.end_step(self._done, self._engine.data.time)


def main(arguments=None):
    options = parse_options(arguments)
    # Until the loop runs there is nothing to dump, and the default action would end the program.
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    if options.die_with_parent:
        from rover_sim.prctl import die_with_parent
        if not die_with_parent(os.getppid()):
            return 0
    try:
        return run(options)
    except KeyboardInterrupt:
        return 130
    except (NoRendering, OSError, ValueError) as error:
        sys.stderr.write('rover_sim: %s\n' % error)
        return 1


def run(options):
    if options.render:
        prepare_rendering()
    # Only now: mujoco reads MUJOCO_GL when it is imported.
    from rover_sim.session import Session
    session = Session(options)
    try:
        session.open()
        runner = session.runner
        signal.signal(signal.SIGINT, lambda *_: runner.stop())
        signal.signal(signal.SIGTERM, lambda *_: runner.stop())
        if session.truth is not None:
            signal.signal(signal.SIGUSR1, lambda *_: runner.want_dump(session.dump_path))
        runner.run()
        session.report()
    finally:
        session.close()
    return 0
