"""builtin_interfaces/Time: stand-in for the generated class of the same name; setters check types as the real ones do."""


class Time:
    """A point in time."""

    __slots__ = ('_sec', '_nanosec',)
    FIELDS = (
        ('sec', 'i'),
        ('nanosec', 'I'),
    )

    def __init__(self):
        self._sec = 0
        self._nanosec = 0

    @property
    def sec(self):
        return self._sec

    @sec.setter
    def sec(self, value):
        if __debug__:
            if not isinstance(value, int):
                raise TypeError('Time.sec must be an int')
        self._sec = value

    @property
    def nanosec(self):
        return self._nanosec

    @nanosec.setter
    def nanosec(self, value):
        if __debug__:
            if not isinstance(value, int):
                raise TypeError('Time.nanosec must be an int')
        self._nanosec = value
