"""Leaves a child uncollected until its own standard input ends, and prints the child's pid."""

import os
import sys

child = os.fork()
if child == 0:
    os._exit(0)
os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
print(child, flush=True)
print("ready", flush=True)
sys.stdin.read()
