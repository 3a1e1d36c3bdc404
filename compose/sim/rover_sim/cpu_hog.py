"""`python -m rover_sim.cpu_hog PARENT`: burn one CPU in native code until the parent (a pid) is gone."""

import hashlib
import os
import shutil
import subprocess
import sys

from rover_sim.prctl import die_with_parent


def start_cpu_hogs(count):
    """Start `count` hogs as children of this process. Call it from the thread that lives longest."""
    return [subprocess.Popen([sys.executable, '-m', 'rover_sim.cpu_hog', str(os.getpid())], stdin=subprocess.DEVNULL)
            for _ in range(count)]


def stop_cpu_hogs(hogs):
    for hog in hogs:
        hog.terminate()
    for hog in hogs:
        hog.wait()


def main():
    # The death signal outlives exec.
    if not die_with_parent(int(sys.argv[1])):
        return 0
    tool = shutil.which('sha256sum')
    if tool is not None:
        os.execv(tool, [tool, '/dev/zero'])
    block = bytes(1 << 24)
    while True:
        hashlib.sha256(block)


if __name__ == '__main__':
    sys.exit(main())
