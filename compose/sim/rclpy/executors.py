"""The executor thread's loop: build a wait set, block in it, run what became ready."""

import select
import socket
import time


class WaitSet:
    """Holds the descriptors of one wait. `wait` is `poll` itself, so that waiting adds no Python frame."""

    def __init__(self):
        poller = select.poll()
        self._register = poller.register
        self.wait = poller.poll

    def add(self, entity):
        self._register(entity.fileno(), select.POLLIN)


class GuardCondition:
    """A socket to itself: `trigger` ends a wait."""

    def __init__(self):
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(('127.0.0.1', 0))

    def fileno(self):
        return self._socket.fileno()

    def trigger(self):
        self._socket.sendto(b'x', self._socket.getsockname())

    def destroy(self):
        self._socket.close()


class SingleThreadedExecutor:
    """Runs callbacks on the thread that spins. `waited_ns` is the wall time spent inside the wait set."""

    def __init__(self):
        self._nodes = []
        self._guard = GuardCondition()
        self._is_shutdown = False
        self._cb_iter = None
        self.waited_ns = 0
        self.handled = 0

    def add_node(self, node):
        self._nodes.append(node)

    def spin(self):
        while not self._is_shutdown:
            self.spin_once()

    def spin_once(self, timeout_sec=None):
        self._spin_once_impl(timeout_sec)

    def _spin_once_impl(self, timeout_sec=None):
        handler = self.wait_for_ready_callbacks(timeout_sec)
        if handler is not None:
            handler()
            self.handled += 1

    def wait_for_ready_callbacks(self, timeout_sec=None):
        """The next callback that is ready, or None at shut-down or when the time is over."""
        if self._cb_iter is None:
            self._cb_iter = self._wait_for_ready_callbacks(timeout_sec)
        try:
            return next(self._cb_iter)
        except StopIteration:
            self._cb_iter = None
            return None

    def _wait_for_ready_callbacks(self, timeout_sec):
        wait_set = WaitSet()
        wait_set.add(self._guard)
        subscriptions = [entity for node in self._nodes for entity in node.subscriptions]
        timers = [timer for node in self._nodes for timer in node.timers]
        for subscription in subscriptions:
            wait_set.add(subscription)
        timeout_ms = _timeout_ms(timeout_sec, timers)
        started = time.monotonic()
        ready = wait_set.wait(timeout_ms)
        self.waited_ns += int((time.monotonic() - started) * 1e9)
        descriptors = {descriptor for descriptor, _ in ready}
        if self._is_shutdown:
            return
        for timer in timers:
            if timer.is_ready():
                yield timer.call
        for subscription in subscriptions:
            if subscription.fileno() in descriptors:
                message = subscription.take_message()
                if message is not None:
                    yield lambda: subscription.callback(message)

    def shutdown(self):
        """Make `spin` return soon; the sockets stay open until `destroy`, since the thread may still wait."""
        self._is_shutdown = True
        self._guard.trigger()

    def destroy(self):
        self._guard.destroy()


def _timeout_ms(timeout_sec, timers):
    bounds = [timer.time_until_next_call() for timer in timers]
    if timeout_sec is not None:
        bounds.append(timeout_sec)
    if not bounds:
        return None
    return int(min(bounds) * 1000) + 1
