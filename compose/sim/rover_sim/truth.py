"""Exact accounts of the physics thread: wall and thread-CPU time per bucket, one row per step.

Code that crosses a bucket boundary calls `mark` (the append of a list: C code, no Python frame) three times:

    mark(PHYSICS); mark(thread_time_ns()); mark(monotonic_ns())      # entering, wall clock last
    ...
    mark(monotonic_ns()); mark(thread_time_ns()); mark(LEAVE)        # leaving, wall clock first

so that nothing but the work itself lies between the two wall clocks. Reading the CPU clock makes the scheduler look at the
thread's time slice, so on a busy machine the thread often loses its CPU right there: that wait has to be charged where a
sampler sees it, in the frame that makes the mark. Where that frame lies inside of its bucket (a ray cast, the pacer), the
wall clock is therefore read first when entering and last when leaving; the marks have the same shape. `end_step` turns the
marks of one step into charges, outside of any bucket but python. Standard library only, Python 3.6 and newer.
"""

import json
import mmap
import os
import time

from rover_sim.truth_layout import (
    ACCOUNTS, COUNT_OFFSET, HEADER_SIZE, NAMES, PACER, PACK_ROW, PHYSICS, PYTHON, RAYCAST, RAYCAST_REAR, RENDER,
    PLUGIN, PUBLISHING, ROW, TIMER_BYTES, pack_header,
)

LEAVE = -1
# Smaller than any clock reading, larger than any account.
_LARGEST_ACCOUNT = 63
# Kernel accounts and other threads' clocks cost microseconds to read: not every step.
_SLOW_INTERVAL_NS = 5000000
_NO_TIMERS = bytes(TIMER_BYTES)
# Pairs of marks that are measured at the beginning of a loop: a second of most.
_LOOP_PAIRS = 500

if hasattr(time, 'monotonic_ns'):
    monotonic_ns = time.monotonic_ns
    thread_time_ns = time.thread_time_ns
    clock_time_ns = time.clock_gettime_ns
else:  # Python 3.6
    def monotonic_ns():
        return int(time.monotonic() * 1e9)

    def thread_time_ns():
        return int(time.clock_gettime(time.CLOCK_THREAD_CPUTIME_ID) * 1e9)

    def clock_time_ns(clock):
        return int(time.clock_gettime(clock) * 1e9)


class ThreadClock:
    """The CPU clock of another Python thread, readable from any thread while that one lives; 0 on Python 3.6."""

    def __init__(self, thread):
        find = getattr(time, 'pthread_getcpuclockid', None)
        self._clock = find(thread.ident) if find is not None else None
        self._thread = thread
        self._last = 0

    def cpu_ns(self):
        if self._clock is not None and self._thread.is_alive():
            self._last = clock_time_ns(self._clock)
        return self._last


class Sources:
    """Where a row's other numbers come from; each is read on the physics thread. All have a neutral default."""

    def __init__(self):
        self.pacer = None
        self.executor = None
        self.executor_clock = None
        self.hog_clock = None
        self.published = None
        self.timer_bytes = None
        self.timer_calls = None


class Truth:
    """Writes the ring. `path` None keeps the newest row only, in memory."""

    def __init__(self, path, capacity, meta):
        self.sources = Sources()
        self._path = path
        self._capacity = capacity if path is not None else 1
        self._meta = dict(meta, costs=measure_costs())
        self._buffer = self._open()
        self._count = 0
        self._events = []
        self.mark = self._events.append
        self._wall = [0] * len(ACCOUNTS)
        self._cpu = [0] * len(ACCOUNTS)
        self._entries = [0] * len(ACCOUNTS)
        self._start_ns = 0
        self._last_wall = 0
        self._last_cpu = 0
        self._slow_due = 0
        self._slow = (0, 0, 0, 0, 0, 0, 0)
        self._loop_costs = MarkCosts()
        self._schedstat = os.open('/proc/self/task/%d/schedstat' % os.getpid(), os.O_RDONLY)

    def watch_executor(self, executor, thread):
        """Take the accounts of an executor, and the CPU clock of the thread that spins it."""
        self.sources.executor = executor
        if thread is not None:
            self.sources.executor_clock = ThreadClock(thread)

    def watch_hog(self, thread):
        self.sources.hog_clock = ThreadClock(thread)

    def discard_marks(self):
        """Forget the marks of steps that no `end_step` followed."""
        del self._events[:]

    def _open(self):
        size = HEADER_SIZE + self._capacity * ROW.size
        if self._path is None:
            return mmap.mmap(-1, size)
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            os.ftruncate(descriptor, size)
            return mmap.mmap(descriptor, size)
        finally:
            os.close(descriptor)

    def start(self):
        """Begin to count, now; call it right before the loop, on the physics (main) thread."""
        del self._events[:]
        self._last_wall = monotonic_ns()
        self._last_cpu = thread_time_ns()
        self._start_ns = self._last_wall
        self._buffer[:HEADER_SIZE] = pack_header(self._capacity, self._start_ns, self._meta)

    def end_step(self, step, sim_time):
        """Charge the marks of this step and write its row; the row's stamp is the wall clock it is charged up to."""
        now = monotonic_ns()
        now_cpu = thread_time_ns()
        wall = self._wall
        cpu = self._cpu
        entries = self._entries
        before = (wall[PHYSICS], wall[RAYCAST], wall[RAYCAST_REAR])
        last = self._last_wall
        last_cpu = self._last_cpu
        account = PYTHON
        outer = []
        events = iter(self._events)
        for first, stamp_cpu, third in zip(events, events, events):
            if first <= _LARGEST_ACCOUNT:
                wall[account] += third - last
                last = third
                outer.append(account)
                account_after = first
                entries[first] += 1
            else:
                wall[account] += first - last
                last = first
                account_after = outer.pop()
            cpu[account] += stamp_cpu - last_cpu
            last_cpu = stamp_cpu
            account = account_after
        del self._events[:]
        wall[account] += now - last
        cpu[account] += now_cpu - last_cpu
        self._last_wall = now
        self._last_cpu = now_cpu
        if now >= self._slow_due:
            self._slow_due = now + _SLOW_INTERVAL_NS
            self._slow = self._read_slow()
        self._write_row(now, step, sim_time, before)
        if self._loop_costs is not None:
            self._measure_in_loop()

    def _measure_in_loop(self):
        """Between steps, whose data fill the caches, marks cost a sixth more than one right after the other."""
        if self._loop_costs.add() < _LOOP_PAIRS:
            return
        self._meta = dict(self._meta, costs=self._loop_costs.medians())
        self._loop_costs = None
        count = self._buffer[COUNT_OFFSET:COUNT_OFFSET + 8]
        header = bytearray(pack_header(self._capacity, self._start_ns, self._meta))
        header[COUNT_OFFSET:COUNT_OFFSET + 8] = count
        self._buffer[:HEADER_SIZE] = bytes(header)

    def _read_slow(self):
        sources = self.sources
        on_cpu, run_queue, timeslices = os.pread(self._schedstat, 96, 0).split()[:3]
        executor_cpu = sources.executor_clock.cpu_ns() if sources.executor_clock is not None else 0
        hog_cpu = sources.hog_clock.cpu_ns() if sources.hog_clock is not None else 0
        published = sources.published() if sources.published is not None else 0
        timer_calls = sources.timer_calls() if sources.timer_calls is not None else 0
        return int(on_cpu), int(run_queue), int(timeslices), executor_cpu, hog_cpu, published, timer_calls

    def _write_row(self, now, step, sim_time, before):
        sources = self.sources
        pacer = sources.pacer
        executor = sources.executor
        on_cpu, run_queue, timeslices, executor_cpu, hog_cpu, published, timer_calls = self._slow
        wall = self._wall
        offset = HEADER_SIZE + self._count % self._capacity * ROW.size
        PACK_ROW.pack_into(
            self._buffer, offset,
            now, step, sim_time, pacer.requested_ns, pacer.sleeps, pacer.resyncs,
            *wall, *self._cpu, *self._entries,
            wall[PHYSICS] - before[0], wall[RAYCAST] - before[1], wall[RAYCAST_REAR] - before[2],
            on_cpu, run_queue, timeslices,
            executor.waited_ns if executor is not None else 0, executor.handled if executor is not None else 0,
            executor_cpu, hog_cpu, published, timer_calls,
            sources.timer_bytes() if sources.timer_bytes is not None else _NO_TIMERS)
        self._count += 1
        self._buffer[COUNT_OFFSET:COUNT_OFFSET + 8] = self._count.to_bytes(8, 'little')

    def snapshot(self):
        """The newest row and the description of the run, as one JSON-ready dictionary; `row` is None before step 1."""
        row = None
        if self._count > 0:
            values = ROW.unpack_from(self._buffer, HEADER_SIZE + (self._count - 1) % self._capacity * ROW.size)
            row = dict(zip(NAMES, values))
        return {'version': 1, 'rows': self._count, 'ring': self._path, 'meta': self._meta, 'row': row}

    def dump(self, path):
        """Write `snapshot()` to `path`, whole or not at all; to standard error when `path` is None."""
        text = json.dumps(self.snapshot(), sort_keys=True)
        if path is None:
            os.write(2, ('truth: %s\n' % text).encode('utf-8'))
            return
        partial = '%s.part' % path
        with open(partial, 'w') as stream:
            stream.write(text + '\n')
        os.replace(partial, path)

    def close(self):
        self._buffer.flush()
        self._buffer.close()
        os.close(self._schedstat)


class MarkCosts:
    """What one pair of marks costs, ns (medians): `inner` is charged to the bucket entered, `total` is the whole pair.

    A sampler sees the marks in the frame that makes them. Where that frame lies outside of the bucket, the bucket is
    charged `inner` too much; where it lies inside, the bucket lacks `total - inner` of CPU and `total - wide_wall` of wall
    time, since its wall clocks lie around the marks. And a function that does nothing is nearly all `call`: its frame is
    made and taken away while that of its caller is the thread's. The reader moves all of it.
    """

    def __init__(self):
        self._events = []
        self._inner_wall = []
        self._wide_wall = []
        self._inner_cpu = []
        self._called_wall = []
        self._called_cpu = []
        self._total = []
        self._clock = []

    def add(self):
        """Makes one pair of each kind, and returns how many there are."""
        events = self._events
        mark = events.append
        started = monotonic_ns()
        mark(PHYSICS)
        mark(thread_time_ns())
        mark(monotonic_ns())
        mark(monotonic_ns())
        mark(thread_time_ns())
        mark(LEAVE)
        self._total.append(monotonic_ns() - started)
        self._inner_wall.append(events[3] - events[2])
        self._inner_cpu.append(events[4] - events[1])
        del events[:]
        mark(PLUGIN)
        mark(thread_time_ns())
        mark(monotonic_ns())
        _no_hook(self)
        mark(monotonic_ns())
        mark(thread_time_ns())
        mark(LEAVE)
        self._called_wall.append(events[3] - events[2])
        self._called_cpu.append(events[4] - events[1])
        del events[:]
        entered = monotonic_ns()
        mark(PACER)
        mark(thread_time_ns())
        mark(entered)
        left_cpu = thread_time_ns()
        mark(monotonic_ns())
        mark(left_cpu)
        mark(LEAVE)
        self._wide_wall.append(events[3] - events[2])
        del events[:]
        self._clock.append(-monotonic_ns() + monotonic_ns())
        return len(self._total)

    def medians(self):
        return {
            'inner_wall_ns': _median(self._inner_wall),
            'wide_wall_ns': _median(self._wide_wall),
            'inner_cpu_ns': _median(self._inner_cpu),
            'total_ns': max(0, _median(self._total) - _median(self._clock)),
            'call_wall_ns': max(0, _median(self._called_wall) - _median(self._inner_wall)),
            'call_cpu_ns': max(0, _median(self._called_cpu) - _median(self._inner_cpu)),
            # Marks made by the caller of the bucket's code, and marks made inside of it.
            'outside': [ACCOUNTS[a] for a in (PHYSICS, PLUGIN, PUBLISHING, RENDER)],
            'inside': [ACCOUNTS[a] for a in (RAYCAST, RAYCAST_REAR, PACER)],
            # Those of `outside` whose code is a function of Python, called between the marks.
            'called': [ACCOUNTS[a] for a in (PLUGIN, PUBLISHING)],
        }


def _no_hook(_):
    pass


def _median(values):
    return sorted(values)[len(values) // 2]


def measure_costs(pairs=3000):
    """As they cost one right after the other, as long as it is not known what they cost in the loop."""
    costs = MarkCosts()
    for _ in range(pairs):
        costs.add()
    return costs.medians()
