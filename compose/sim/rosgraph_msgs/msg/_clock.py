"""rosgraph_msgs/Clock: stand-in for the generated class of the same name; setters check types as the real ones do."""

from builtin_interfaces.msg._time import Time


class Clock:
    """Simulation time."""

    __slots__ = ('_clock',)
    FIELDS = (
        ('clock', 'message'),
    )

    def __init__(self):
        self._clock = Time()

    @property
    def clock(self):
        return self._clock

    @clock.setter
    def clock(self, value):
        if __debug__:
            if not isinstance(value, Time):
                raise TypeError('Clock.clock must be a Time')
        self._clock = value
