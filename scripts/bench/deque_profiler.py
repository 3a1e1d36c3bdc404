"""A profiler as Pyrite's documentation describes it: a deque for each category and thread. Prints the nanoseconds of a span."""
import threading
import time
from collections import deque
from contextlib import contextmanager


class Profiler:
    def __init__(self, max_samples=10_000):
        self.max_samples = max_samples
        self.registry_lock = threading.Lock()
        self.thread_buffers = {}

    def record(self, category, seconds):
        buffer = self.thread_buffers.get(threading.get_ident())
        if buffer is None:
            with self.registry_lock:
                buffer = self.thread_buffers.setdefault(threading.get_ident(), {})
        samples = buffer.get(category)
        if samples is None:
            samples = buffer[category] = deque(maxlen=self.max_samples)
        samples.append(seconds)

    @contextmanager
    def measure(self, category):
        start = time.perf_counter()
        try:
            yield
        finally:
            self.record(category, time.perf_counter() - start)


def nanoseconds(body, calls=200_000):
    each = []
    for _ in range(5):
        start = time.process_time()
        body(calls)
        each.append((time.process_time() - start) / calls * 1e9)
    return sorted(each)[1]


profiler = Profiler()


def work():
    pass


def empty(calls):
    for _ in range(calls):
        work()


def spans(calls):
    for _ in range(calls):
        with profiler.measure("Frustum_Culling"):
            work()


print(nanoseconds(spans) - nanoseconds(empty))
