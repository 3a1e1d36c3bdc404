"""The two process settings of Linux that Python has no name for."""

import ctypes
import os
import signal

_PR_SET_PDEATHSIG = 1
_PR_SET_TIMERSLACK = 29


def die_with_parent(parent):
    """Get SIGTERM when `parent` (a pid) dies; False when it is dead already."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    return os.getppid() == parent


def set_timer_slack(nanoseconds):
    """For the calling thread, and the threads it starts from now on."""
    _prctl(_PR_SET_TIMERSLACK, nanoseconds)


def _prctl(option, value):
    library = ctypes.CDLL(None, use_errno=True)
    if library.prctl(option, ctypes.c_ulong(value), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), 'prctl(%d, %d)' % (option, value))
