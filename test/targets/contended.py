"""A main thread that sleeps and computes beside threads that wait and one that never lets go of the interpreter.

Prints one JSON line of facts about itself, then `ready`; ends when its standard input is closed.
Arguments: --no-spin leaves the busy thread out, --name WORD only marks the command line.
"""
import ctypes
import json
import os
import sys
import sysconfig
import threading
import time


def spin():
    while True:
        pass


def wait_for_parent():
    sys.stdin.read()
    os._exit(0)


def main():
    forever = threading.Event()
    workers = [threading.Thread(target=forever.wait, name=name, daemon=True) for name in ("executor", "logger")]
    workers.append(threading.Thread(target=wait_for_parent, name="parent", daemon=True))
    if "--no-spin" not in sys.argv:
        workers.append(threading.Thread(target=spin, name="spinner", daemon=True))
    for worker in workers:
        worker.start()
    facts = {
        "pid": os.getpid(),
        "version": sys.version.split()[0],
        "executable": sys.executable,
        "freeThreaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
        "threads": [{"ident": str(t.ident), "tid": t.native_id, "name": t.name} for t in threading.enumerate()],
    }
    symbol = getattr(ctypes.pythonapi, "_PyRuntime", None)
    if symbol is not None:
        facts["runtime"] = str(ctypes.addressof(ctypes.c_char.in_dll(ctypes.pythonapi, "_PyRuntime")))
    print(json.dumps(facts))
    print("ready", flush=True)
    while True:
        time.sleep(0.0005)
        sum(range(200))


main()
