"""geometry_msgs/Pose: stand-in for the generated class of the same name; setters check types as the real ones do."""

from geometry_msgs.msg._point import Point
from geometry_msgs.msg._quaternion import Quaternion


class Pose:
    """Position and orientation."""

    __slots__ = ('_position', '_orientation',)
    FIELDS = (
        ('position', 'message'),
        ('orientation', 'message'),
    )

    def __init__(self):
        self._position = Point()
        self._orientation = Quaternion()

    @property
    def position(self):
        return self._position

    @position.setter
    def position(self, value):
        if __debug__:
            if not isinstance(value, Point):
                raise TypeError('Pose.position must be a Point')
        self._position = value

    @property
    def orientation(self):
        return self._orientation

    @orientation.setter
    def orientation(self, value):
        if __debug__:
            if not isinstance(value, Quaternion):
                raise TypeError('Pose.orientation must be a Quaternion')
        self._orientation = value
