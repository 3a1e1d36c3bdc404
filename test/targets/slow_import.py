"""A module whose import takes two seconds, as that of a large library does."""
import time


def heavy_import():
    until = time.perf_counter() + 2
    while time.perf_counter() < until:
        sum(range(1000))


heavy_import()
