"""geometry_msgs/Vector3: stand-in for the generated class of the same name; setters check types as the real ones do."""


class Vector3:
    """Three components, SI units."""

    __slots__ = ('_x', '_y', '_z',)
    FIELDS = (
        ('x', 'd'),
        ('y', 'd'),
        ('z', 'd'),
    )

    def __init__(self):
        self._x = 0.0
        self._y = 0.0
        self._z = 0.0

    @property
    def x(self):
        return self._x

    @x.setter
    def x(self, value):
        if __debug__:
            if not isinstance(value, float):
                raise TypeError('Vector3.x must be a float')
        self._x = value

    @property
    def y(self):
        return self._y

    @y.setter
    def y(self, value):
        if __debug__:
            if not isinstance(value, float):
                raise TypeError('Vector3.y must be a float')
        self._y = value

    @property
    def z(self):
        return self._z

    @z.setter
    def z(self, value):
        if __debug__:
            if not isinstance(value, float):
                raise TypeError('Vector3.z must be a float')
        self._z = value
