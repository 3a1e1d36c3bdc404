"""geometry_msgs/TransformStamped: stand-in for the generated class of the same name; setters check types as the real ones do."""

from geometry_msgs.msg._transform import Transform
from std_msgs.msg._header import Header


class TransformStamped:
    """A transform between two frames."""

    __slots__ = ('_header', '_child_frame_id', '_transform',)
    FIELDS = (
        ('header', 'message'),
        ('child_frame_id', 'string'),
        ('transform', 'message'),
    )

    def __init__(self):
        self._header = Header()
        self._child_frame_id = ''
        self._transform = Transform()

    @property
    def header(self):
        return self._header

    @header.setter
    def header(self, value):
        if __debug__:
            if not isinstance(value, Header):
                raise TypeError('TransformStamped.header must be a Header')
        self._header = value

    @property
    def child_frame_id(self):
        return self._child_frame_id

    @child_frame_id.setter
    def child_frame_id(self, value):
        if __debug__:
            if not isinstance(value, str):
                raise TypeError('TransformStamped.child_frame_id must be a str')
        self._child_frame_id = value

    @property
    def transform(self):
        return self._transform

    @transform.setter
    def transform(self, value):
        if __debug__:
            if not isinstance(value, Transform):
                raise TypeError('TransformStamped.transform must be a Transform')
        self._transform = value
