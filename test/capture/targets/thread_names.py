"""Threads of every kind that `threading` has a name for, and of those that it has none for.

Prints one JSON line of facts about them, then `ready`; ends when its standard input is closed. Each SIGUSR1 gives some of them other
names and makes a new one. Arguments: --fork does all of it in a child that a thread has made, whose number is in the facts.
"""
import _thread
import ctypes
import json
import os
import signal
import sys
import threading
import time

forever = threading.Event()
facts = []
started = threading.Semaphore(0)


def add(name):
    facts.append({"ident": threading.get_ident(), "tid": threading.get_native_id(), "name": name})


def run():
    add(threading.current_thread().name)
    started.release()
    forever.wait()


def nameless():
    add(None)
    started.release()
    forever.wait()


class Before(threading.Thread):
    def __init__(self, count, **kwargs):
        for index in range(count):
            setattr(self, "attribute_%d" % index, index)
        super().__init__(**kwargs)

    def run(self):
        run()


class Slots(threading.Thread):
    __slots__ = ("one", "two")


class OfC(threading.Thread, Exception):
    """Its dict is where the C type has it."""

    def __init__(self, **kwargs):
        threading.Thread.__init__(self, **kwargs)


class Sized(threading.Thread, list):
    __hash__ = object.__hash__

    def __init__(self, **kwargs):
        threading.Thread.__init__(self, **kwargs)

    def __bool__(self):
        return True


def touched(thread):
    thread.__dict__["another"] = 1
    return thread


def dissolved(thread):
    thread.dropped = 1
    del thread.dropped
    for index in range(40):
        setattr(thread, "late_%d" % index, index)
    return thread


def threads():
    yield threading.Thread(target=run, name="executor")
    yield threading.Thread(target=run)
    yield threading.Thread(target=run, name="Größe")
    yield threading.Thread(target=run, name="оценка 🦾")
    yield threading.Thread(target=run, name="ű" * 700)
    yield threading.Thread(target=run, name='"quoted"\nname')
    yield Before(3, name="attributes before")
    yield Before(40, name="many attributes before")
    yield Before(2)
    yield Slots(target=run, name="slots")
    yield OfC(target=run, name="of a C type")
    yield Sized(target=run, name="of a list")
    yield touched(threading.Thread(target=run, name="touched"))
    yield touched(Before(1, name="touched, attributes before"))
    yield dissolved(threading.Thread(target=run, name="dissolved"))


def renamed(*_):
    for thread in made:
        if thread.name in ("executor", "touched", "many attributes before"):
            thread.name = "renamed " + thread.name
    threading.main_thread().name = "renamed main"
    threading.Thread(target=run, name="new", daemon=True).start()


def wait_for_parent():
    sys.stdin.read()
    os._exit(0)


def everything():
    global made
    threading.Thread(target=wait_for_parent, name="parent", daemon=True).start()
    made = list(threads())
    for thread in made:
        thread.daemon = True
        thread.start()
    _thread.start_new_thread(nameless, ())
    # What asks for a Thread object where there is none gets one.
    _thread.start_new_thread(run, ())
    for _ in range(len(made) + 2):
        started.acquire()
    listed = {fact["ident"] for fact in facts}
    for thread in threading.enumerate():
        if thread.ident not in listed:
            facts.append({"ident": thread.ident, "tid": thread.native_id, "name": thread.name})
    runtime = ctypes.addressof(ctypes.c_char.in_dll(ctypes.pythonapi, "_PyRuntime"))
    found = [dict(fact, ident=str(fact["ident"])) for fact in facts]
    print(json.dumps({"pid": os.getpid(), "runtime": str(runtime), "threads": found}))
    print("ready", flush=True)


def child():
    if os.fork() == 0:
        everything()
        while True:
            time.sleep(3600)


signal.signal(signal.SIGUSR1, renamed)
if "--fork" in sys.argv:
    threading.Thread(target=child, name="forker").start()
    wait_for_parent()
everything()
while True:
    time.sleep(3600)
