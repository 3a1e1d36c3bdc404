"""Rests at the bottom of a recursion of N calls, in its main thread (`main`) or in a thread of its own (`thread`)."""
import sys
import threading

sys.setrecursionlimit(300_000)
threading.stack_size(512 * 1024 * 1024)
where, depth = sys.argv[1], int(sys.argv[2])
down = threading.Event()
over = threading.Event()


def bottom():
    down.set()
    over.wait()


def call(n):
    return call(n - 1) if n else bottom()


def say_when_down():
    down.wait()
    print("ready", flush=True)
    sys.stdin.read()
    over.set()


if where == "thread":
    threading.Thread(target=call, args=(depth,), name="deep").start()
    say_when_down()
else:
    threading.Thread(target=say_when_down, name="watcher").start()
    # Up to 3.10 each call takes a piece of the C stack, and the main thread's is small.
    call(depth)
