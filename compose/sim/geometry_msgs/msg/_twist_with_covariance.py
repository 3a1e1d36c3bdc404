"""geometry_msgs/TwistWithCovariance: stand-in for the generated class of the same name; setters check types as the real ones do."""

import array

from geometry_msgs.msg._twist import Twist


class TwistWithCovariance:
    """A twist and its 6 x 6 covariance."""

    __slots__ = ('_twist', '_covariance',)
    FIELDS = (
        ('twist', 'message'),
        ('covariance', 'array:d'),
    )

    def __init__(self):
        self._twist = Twist()
        self._covariance = array.array('d', bytes(8 * 36))

    @property
    def twist(self):
        return self._twist

    @twist.setter
    def twist(self, value):
        if __debug__:
            if not isinstance(value, Twist):
                raise TypeError('TwistWithCovariance.twist must be a Twist')
        self._twist = value

    @property
    def covariance(self):
        return self._covariance

    @covariance.setter
    def covariance(self, value):
        if isinstance(value, array.array) and value.typecode == 'd' and len(value) == 36:
            self._covariance = value
            return
        if __debug__:
            if len(value) != 36 or not all(isinstance(item, float) for item in value):
                raise TypeError('TwistWithCovariance.covariance must be 36 floats')
        self._covariance = array.array('d', value)
