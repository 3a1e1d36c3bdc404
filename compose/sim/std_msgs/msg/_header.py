"""std_msgs/Header: stand-in for the generated class of the same name; setters check types as the real ones do."""

from builtin_interfaces.msg._time import Time


class Header:
    """Stamp and coordinate frame of a message."""

    __slots__ = ('_stamp', '_frame_id',)
    FIELDS = (
        ('stamp', 'message'),
        ('frame_id', 'string'),
    )

    def __init__(self):
        self._stamp = Time()
        self._frame_id = ''

    @property
    def stamp(self):
        return self._stamp

    @stamp.setter
    def stamp(self, value):
        if __debug__:
            if not isinstance(value, Time):
                raise TypeError('Header.stamp must be a Time')
        self._stamp = value

    @property
    def frame_id(self):
        return self._frame_id

    @frame_id.setter
    def frame_id(self, value):
        if __debug__:
            if not isinstance(value, str):
                raise TypeError('Header.frame_id must be a str')
        self._frame_id = value
