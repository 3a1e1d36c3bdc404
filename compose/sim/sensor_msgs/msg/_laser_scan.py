"""sensor_msgs/LaserScan: stand-in for the generated class of the same name; setters check types as the real ones do."""

import array

from std_msgs.msg._header import Header


class LaserScan:
    """One sweep of a planar range finder."""

    __slots__ = ('_header', '_angle_min', '_angle_max', '_angle_increment', '_time_increment', '_scan_time', '_range_min', '_range_max', '_ranges', '_intensities',)
    FIELDS = (
        ('header', 'message'),
        ('angle_min', 'f'),
        ('angle_max', 'f'),
        ('angle_increment', 'f'),
        ('time_increment', 'f'),
        ('scan_time', 'f'),
        ('range_min', 'f'),
        ('range_max', 'f'),
        ('ranges', 'sequence:f'),
        ('intensities', 'sequence:f'),
    )

    def __init__(self):
        self._header = Header()
        self._angle_min = 0.0
        self._angle_max = 0.0
        self._angle_increment = 0.0
        self._time_increment = 0.0
        self._scan_time = 0.0
        self._range_min = 0.0
        self._range_max = 0.0
        self._ranges = array.array('f')
        self._intensities = array.array('f')

    @property
    def header(self):
        return self._header

    @header.setter
    def header(self, value):
        if __debug__:
            if not isinstance(value, Header):
                raise TypeError('LaserScan.header must be a Header')
        self._header = value

    @property
    def angle_min(self):
        return self._angle_min

    @angle_min.setter
    def angle_min(self, value):
        if __debug__:
            if not isinstance(value, float):
                raise TypeError('LaserScan.angle_min must be a float')
        self._angle_min = value

    @property
    def angle_max(self):
        return self._angle_max

    @angle_max.setter
    def angle_max(self, value):
        if __debug__:
            if not isinstance(value, float):
                raise TypeError('LaserScan.angle_max must be a float')
        self._angle_max = value

    @property
    def angle_increment(self):
        return self._angle_increment

    @angle_increment.setter
    def angle_increment(self, value):
        if __debug__:
            if not isinstance(value, float):
                raise TypeError('LaserScan.angle_increment must be a float')
        self._angle_increment = value

    @property
    def time_increment(self):
        return self._time_increment

    @time_increment.setter
    def time_increment(self, value):
        if __debug__:
            if not isinstance(value, float):
                raise TypeError('LaserScan.time_increment must be a float')
        self._time_increment = value

    @property
    def scan_time(self):
        return self._scan_time

    @scan_time.setter
    def scan_time(self, value):
        if __debug__:
            if not isinstance(value, float):
                raise TypeError('LaserScan.scan_time must be a float')
        self._scan_time = value

    @property
    def range_min(self):
        return self._range_min

    @range_min.setter
    def range_min(self, value):
        if __debug__:
            if not isinstance(value, float):
                raise TypeError('LaserScan.range_min must be a float')
        self._range_min = value

    @property
    def range_max(self):
        return self._range_max

    @range_max.setter
    def range_max(self, value):
        if __debug__:
            if not isinstance(value, float):
                raise TypeError('LaserScan.range_max must be a float')
        self._range_max = value

    @property
    def ranges(self):
        return self._ranges

    @ranges.setter
    def ranges(self, value):
        if isinstance(value, array.array) and value.typecode == 'f':
            self._ranges = value
            return
        if __debug__:
            if not all(isinstance(item, float) for item in value):
                raise TypeError('LaserScan.ranges must be a sequence of floats')
        self._ranges = array.array('f', value)

    @property
    def intensities(self):
        return self._intensities

    @intensities.setter
    def intensities(self, value):
        if isinstance(value, array.array) and value.typecode == 'f':
            self._intensities = value
            return
        if __debug__:
            if not all(isinstance(item, float) for item in value):
                raise TypeError('LaserScan.intensities must be a sequence of floats')
        self._intensities = array.array('f', value)
