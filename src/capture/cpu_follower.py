"""Keeps a sampler on the CPU of a thread: `cpu_follower.py PID`, see cpu-follower.ts.

Reads `TID SAMPLER_PID` lines, `0 0` to rest; ends with its input. Python 3.3 and later, standard library only.
"""
import os
import select
import sys

LOOK_S = 0.002


def follow(pid):
    stat = sampler = last = None
    while True:
        if select.select([0], [], [], LOOK_S if stat else None)[0]:
            words = os.read(0, 4096).split()
            if not words:
                return
            if stat:
                os.close(stat)
            tid, sampler = (int(word) for word in words[-2:])
            stat = last = None
            try:
                stat = os.open("/proc/%d/task/%d/stat" % (pid, tid), os.O_RDONLY) if tid else None
            except OSError:
                pass
        if stat is None:
            continue
        try:
            text = os.pread(stat, 4096, 0)
            cpu = int(text[text.rindex(b")") + 2:].split()[36])
            if cpu == last:
                continue
            last = cpu
            for thread in os.listdir("/proc/%d/task" % sampler):
                os.sched_setaffinity(int(thread), {cpu})
        except (OSError, ValueError):
            pass


follow(int(sys.argv[1]))
