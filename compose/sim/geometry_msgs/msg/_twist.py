"""geometry_msgs/Twist: stand-in for the generated class of the same name; setters check types as the real ones do."""

from geometry_msgs.msg._vector3 import Vector3


class Twist:
    """Linear and angular velocity."""

    __slots__ = ('_linear', '_angular',)
    FIELDS = (
        ('linear', 'message'),
        ('angular', 'message'),
    )

    def __init__(self):
        self._linear = Vector3()
        self._angular = Vector3()

    @property
    def linear(self):
        return self._linear

    @linear.setter
    def linear(self, value):
        if __debug__:
            if not isinstance(value, Vector3):
                raise TypeError('Twist.linear must be a Vector3')
        self._linear = value

    @property
    def angular(self):
        return self._angular

    @angular.setter
    def angular(self, value):
        if __debug__:
            if not isinstance(value, Vector3):
                raise TypeError('Twist.angular must be a Vector3')
        self._angular = value
