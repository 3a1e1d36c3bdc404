"""`python -m rover_sim.truth_window RING [T0_NS T1_NS ...]`: the truth over the union of windows, as JSON.

Times are CLOCK_MONOTONIC nanoseconds; without any, the window is all that the ring holds. Every cumulative field is interpolated linearly between the rows around an edge.
Exit code 1, and one line on standard error, when the ring does not hold a window. Standard library only.
"""

import json
import mmap
import sys
import time

from rover_sim.truth_layout import (
    ACCOUNTS, BUCKET_ACCOUNTS, BUCKETS, HEADER_SIZE, NAMES, ROW, TIMERS, RingError, read_header,
)

# The writer may be filling these slots, next in line to be overwritten, while we read.
_GUARD_ROWS = 64
# How long to wait for the row after a window's end, and the age of the newest row at which the writer counts as gone.
_PATIENCE_S = 1.0
_STALE_NS = 500000000


class Ring:
    """A ring opened for reading. Raises RingError, or OSError when the file cannot be opened."""

    def __init__(self, path):
        with open(path, 'rb') as stream:
            try:
                self._data = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
            except ValueError:
                raise RingError('the file is empty')
        self.refresh()

    def refresh(self):
        """Take note of rows written since."""
        self.capacity, self.count, self.start_ns, self.meta = read_header(self._data)
        if self.count == 0:
            raise RingError('no step has been written yet')
        guard = min(_GUARD_ROWS, self.capacity // 8)
        self.first = max(0, self.count - self.capacity + guard)

    def oldest_ns(self):
        return self.start_ns if self.first == 0 else self.row(self.first)[0]

    def newest_ns(self):
        return self.row(self.count - 1)[0]

    def await_row(self, t_ns):
        """Give a running simulation a moment to finish the step around `t_ns`, when that lies in the past."""
        end = time.monotonic() + _PATIENCE_S
        while self.newest_ns() < t_ns <= time.monotonic() * 1e9 and time.monotonic() < end:
            if time.monotonic() * 1e9 - self.newest_ns() > _STALE_NS:
                return
            time.sleep(0.005)
            self.refresh()

    def row(self, number):
        return ROW.unpack_from(self._data, HEADER_SIZE + number % self.capacity * ROW.size)

    def at(self, t_ns):
        """The fields at `t_ns`, interpolated. Before row 0 everything is 0, at the ring's start."""
        oldest, newest = self.oldest_ns(), self.newest_ns()
        if t_ns < oldest or t_ns > newest:
            raise RingError('the ring holds %d to %d ns, which leaves out %d (%.3f s %s)' % (
                oldest, newest, t_ns, max(oldest - t_ns, t_ns - newest) / 1e9,
                'too early' if t_ns < oldest else 'too late'))
        low = self._first_at_or_after(t_ns)
        after = self.row(low)
        before = self.row(low - 1) if low > self.first else self._origin(after)
        span = after[0] - before[0]
        part = (t_ns - before[0]) / span if span > 0 else 1.0
        return [x + (y - x) * part for x, y in zip(before, after)]

    def _first_at_or_after(self, t_ns):
        low, high = self.first, self.count - 1
        while low < high:
            middle = (low + high) // 2
            if self.row(middle)[0] < t_ns:
                low = middle + 1
            else:
                high = middle
        return low

    def _origin(self, first_row):
        if self.first != 0:
            return first_row
        # What was counted before the loop is not part of it: only our own accounts start at 0.
        return [self.start_ns if name == 't_ns' else value if name.startswith(('schedstat', 'executor', 'hog', 'timer'))
                else 0 for name, value in zip(NAMES, first_row)]

    def largest(self, name, t0_ns, t1_ns):
        """The largest value of a per-step field over the rows stamped within the window; 0 without rows."""
        index = NAMES.index(name)
        best = 0
        for number in range(self._first_at_or_after(t0_ns), self.count):
            row = self.row(number)
            if row[0] > t1_ns:
                break
            if row[index] > best:
                best = row[index]
        return best


def window_truth(ring, windows):
    """The truth over the union of `windows`, a list of (t0, t1) in ns, as a JSON-ready dictionary."""
    merged = merge_windows(windows)
    totals = dict.fromkeys(NAMES, 0.0)
    for t0, t1 in merged:
        for name, x, y in zip(NAMES, ring.at(t0), ring.at(t1)):
            totals[name] += y - x
    wall_ns = totals['t_ns']
    wall, cpu = corrected_accounts(totals, ring.meta)
    buckets = {}
    for bucket in BUCKETS:
        accounts = BUCKET_ACCOUNTS[bucket]
        raw_wall = sum(totals['wall_ns_' + ACCOUNTS[a]] for a in accounts)
        raw_cpu = sum(totals['cpu_ns_' + ACCOUNTS[a]] for a in accounts)
        buckets[bucket] = {
            'wall': sum(wall[ACCOUNTS[a]] for a in accounts) / wall_ns,
            'cpu': sum(cpu[ACCOUNTS[a]] for a in accounts) / wall_ns,
            'rawWall': raw_wall / wall_ns,
            'rawCpu': raw_cpu / wall_ns,
        }
    cpu_ns = sum(totals['cpu_ns_' + name] for name in ACCOUNTS)
    run_queue_ns = totals['schedstat_run_queue_ns']
    off_cpu_ns = wall_ns - cpu_ns
    return {
        'windowsNs': merged,
        'wallS': wall_ns / 1e9,
        'buckets': buckets,
        'cpu': cpu_ns / wall_ns,
        'runQueue': run_queue_ns / wall_ns,
        'requestedSleep': totals['requested_sleep_ns'] / wall_ns,
        'gil': max(0.0, off_cpu_ns - run_queue_ns - totals['requested_sleep_ns']) / wall_ns,
        'sleeps': totals['sleeps'],
        'resyncs': totals['resyncs'],
        'steps': totals['step'],
        'simS': totals['sim_time_s'],
        'stepsPerS': totals['step'] * 1e9 / wall_ns,
        'mjStep': call_stats(ring, merged, totals, 'physics', 'mj_step_last_ns'),
        'casts': {
            'front': call_stats(ring, merged, totals, 'raycast_front', 'raycast_front_last_ns'),
            'rear': call_stats(ring, merged, totals, 'raycast_rear', 'raycast_rear_last_ns'),
        },
        'published': totals['published'],
        'mjTimer': {name: totals['timer_s_' + name] * 1e9 / wall_ns for name in TIMERS},
        'threads': {
            'executor': {
                'cpu': totals['executor_cpu_ns'] / wall_ns,
                'wait': totals['executor_wait_ns'] / wall_ns,
                'callbacks': totals['executor_callbacks'],
            },
            'gil_hog': {'cpu': totals['hog_cpu_ns'] / wall_ns},
        },
        'ring': {'startNs': ring.start_ns, 'oldestNs': ring.oldest_ns(), 'newestNs': ring.newest_ns(), 'rows': ring.count},
        'meta': ring.meta,
    }


def corrected_accounts(totals, meta):
    """Wall and CPU ns per account, with the cost of the marks where a sampler sees it (truth.measure_costs)."""
    costs = meta['costs']
    wall = {name: totals['wall_ns_' + name] for name in ACCOUNTS}
    cpu = {name: totals['cpu_ns_' + name] for name in ACCOUNTS}
    for name in costs['outside']:
        pairs = totals['entries_' + name]
        _move(wall, name, 'python', pairs * costs['inner_wall_ns'])
        _move(cpu, name, 'python', pairs * costs['inner_cpu_ns'])
    for name in costs.get('called', ()):
        pairs = totals['entries_' + name]
        _move(wall, name, 'python', pairs * costs['call_wall_ns'])
        _move(cpu, name, 'python', pairs * costs['call_cpu_ns'])
    for name in costs['inside']:
        pairs = totals['entries_' + name]
        caller = 'python' if name == 'pacer' else 'plugin'
        _move(wall, caller, name, pairs * max(0, costs['total_ns'] - costs['wide_wall_ns']))
        _move(cpu, caller, name, pairs * (costs['total_ns'] - costs['inner_cpu_ns']))
    return wall, cpu


def _move(accounts, source, target, amount):
    taken = max(0.0, min(amount, accounts[source]))
    accounts[source] -= taken
    accounts[target] += taken


def call_stats(ring, windows, totals, account, last_field):
    """Calls, their total and mean duration by wall clock, the thread-CPU part, and the longest whole call."""
    calls = totals['entries_' + account]
    wall_ns = totals['wall_ns_' + account]
    return {
        'calls': calls,
        'totalMs': wall_ns / 1e6,
        'meanUs': wall_ns / calls / 1e3 if calls > 0 else 0.0,
        'cpuMs': totals['cpu_ns_' + account] / 1e6,
        'maxUs': max(ring.largest(last_field, t0, t1) for t0, t1 in windows) / 1e3,
    }


def merge_windows(windows):
    """Sorted, overlaps joined; raises RingError on an empty or backward window."""
    merged = []
    for t0, t1 in sorted(windows):
        if t1 <= t0:
            raise RingError('the window %d to %d ns is empty' % (t0, t1))
        if merged and t0 <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], t1)
        else:
            merged.append([t0, t1])
    return merged


def main(arguments=None):
    arguments = sys.argv[1:] if arguments is None else arguments
    if not arguments or len(arguments) % 2 == 0:
        sys.stderr.write('usage: python -m rover_sim.truth_window RING [T0_NS T1_NS ...]\n')
        return 2
    try:
        times = [int(text) for text in arguments[1:]]
    except ValueError as error:
        sys.stderr.write('truth_window: times are whole nanoseconds: %s\n' % error)
        return 2
    try:
        ring = Ring(arguments[0])
        if times:
            ring.await_row(max(times))
        else:
            times = [ring.oldest_ns(), ring.newest_ns()]
        result = window_truth(ring, list(zip(times[::2], times[1::2])))
    except (RingError, OSError) as error:
        sys.stderr.write('truth_window: %s: %s\n' % (arguments[0], error))
        return 1
    json.dump(result, sys.stdout, sort_keys=True)
    sys.stdout.write('\n')
    return 0


if __name__ == '__main__':
    sys.exit(main())
