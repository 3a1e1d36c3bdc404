"""`python plain_loop.py`: a paced loop for any CPython from 3.6 on, with the truth of rover_sim beside it.

Half of the busy time is a native call without the interpreter lock, half a hook in pure Python.
"""

import argparse
import hashlib
import os
import signal
import sys

from plain_sim.clock import Pacer
from plain_sim.engine import Engine
from plain_sim.plugins.wheel_filter import WheelFilter
from rover_sim.gil_hog import GilHog
from rover_sim.prctl import die_with_parent, set_timer_slack
from rover_sim.truth import Truth, thread_time_ns

RING_SECONDS = 120


class Loop:
    def __init__(self, engine, pacer, truth, period_s, ready_file):
        self._engine = engine
        self._pacer = pacer
        self._truth = truth
        self._period_s = period_s
        self._ready_file = ready_file
        self._stopped = False
        self._dump_wanted = False

    def stop(self):
        self._stopped = True

    def want_dump(self):
        self._dump_wanted = True

    def run(self, steps, dump_path):
        if self._truth is not None:
            self._truth.start()
        while not self._stopped and (steps is None or self._engine.steps < steps):
            self._tick()
            if self._engine.steps == 5 and self._ready_file is not None:
                write_ready_file(self._ready_file)
            if self._dump_wanted:
                self._dump_wanted = False
                self._truth.dump(dump_path)

    def _tick(self):
        self._pacer.wait()
        self._engine.step()
        if self._truth is not None:
            self._truth.end_step(self._engine.steps, self._engine.steps * self._period_s)


def write_ready_file(path):
    with open(path + '.part', 'w') as stream:
        stream.write('%d\n' % os.getpid())
    os.replace(path + '.part', path)


def size_work(budget_ns):
    """`(bytes to hash, rounds of the hook)` that take about half of `budget_ns` of thread-CPU each."""
    data = bytes(1 << 20)
    started = thread_time_ns()
    hashlib.sha256(data)
    per_byte = (thread_time_ns() - started) / float(len(data))
    plugin = WheelFilter(20000)
    started = thread_time_ns()
    plugin.post_step(0)
    per_round = (thread_time_ns() - started) / 20000.0
    return max(4096, int(budget_ns / 2 / per_byte)), max(1, int(budget_ns / 2 / per_round))


def parse_options():
    parser = argparse.ArgumentParser(prog='plain_loop.py')
    parser.add_argument('--hz', type=float, default=500.0, help='steps per second (500)')
    parser.add_argument('--busy', type=float, default=0.4, help='part of the period that is busy (0.4)')
    parser.add_argument('--steps', type=int, help='end after this many steps')
    parser.add_argument('--gil-hog', nargs='?', const=1.0, type=float, metavar='SHARE')
    parser.add_argument('--truth', metavar='FILE', help='the ring file; FILE.json is the dump')
    parser.add_argument('--no-truth', action='store_true')
    parser.add_argument('--ready-file', metavar='FILE')
    parser.add_argument('--die-with-parent', action='store_true')
    options = parser.parse_args()
    if options.hz <= 0 or not 0 < options.busy <= 1:
        parser.error('--hz is above 0, --busy above 0 and at most 1')
    return options


def main():
    options = parse_options()
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    if options.die_with_parent and not die_with_parent(os.getppid()):
        return 0
    set_timer_slack(1)
    period_ns = int(1e9 / options.hz)
    size, rounds = size_work(options.busy * period_ns)
    truth = None
    if not options.no_truth:
        truth = Truth(options.truth, max(120000, int(RING_SECONDS * options.hz)), {
            'program': 'plain_loop', 'pid': os.getpid(), 'python': sys.version.split()[0], 'hz': options.hz,
            'busy': options.busy, 'bytes': size, 'rounds': rounds,
        })
    mark = truth.mark if truth is not None else None
    pacer = Pacer(period_ns, mark)
    engine = Engine(WheelFilter(rounds), bytes(size), mark)
    hog = GilHog(options.gil_hog) if options.gil_hog is not None else None
    loop = Loop(engine, pacer, truth, 1.0 / options.hz, options.ready_file)
    dump_path = options.truth + '.json' if options.truth else None
    signal.signal(signal.SIGINT, lambda *_: loop.stop())
    signal.signal(signal.SIGTERM, lambda *_: loop.stop())
    if hog is not None:
        hog.start()
    if truth is not None:
        truth.sources.pacer = pacer
        if hog is not None:
            truth.watch_hog(hog.thread)
        signal.signal(signal.SIGUSR1, lambda *_: loop.want_dump())
    loop.run(options.steps, dump_path)
    if hog is not None:
        hog.stop()
    if truth is not None:
        truth.dump(dump_path)
        truth.close()
    return 0


if __name__ == '__main__':
    sys.exit(main())
