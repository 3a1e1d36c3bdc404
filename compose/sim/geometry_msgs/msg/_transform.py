"""geometry_msgs/Transform: stand-in for the generated class of the same name; setters check types as the real ones do."""

from geometry_msgs.msg._quaternion import Quaternion
from geometry_msgs.msg._vector3 import Vector3


class Transform:
    """Translation and rotation."""

    __slots__ = ('_translation', '_rotation',)
    FIELDS = (
        ('translation', 'message'),
        ('rotation', 'message'),
    )

    def __init__(self):
        self._translation = Vector3()
        self._rotation = Quaternion()

    @property
    def translation(self):
        return self._translation

    @translation.setter
    def translation(self, value):
        if __debug__:
            if not isinstance(value, Vector3):
                raise TypeError('Transform.translation must be a Vector3')
        self._translation = value

    @property
    def rotation(self):
        return self._rotation

    @rotation.setter
    def rotation(self, value):
        if __debug__:
            if not isinstance(value, Quaternion):
                raise TypeError('Transform.rotation must be a Quaternion')
        self._rotation = value
