"""The node's clock."""

import time

from builtin_interfaces.msg import Time


class Clock:
    def now(self):
        """The time as a message; wall clock, since nothing here runs on simulated time."""
        stamp = Time()
        seconds, nanoseconds = divmod(int(time.time() * 1e9), 1000000000)
        stamp.sec = seconds
        stamp.nanosec = nanoseconds
        return stamp
