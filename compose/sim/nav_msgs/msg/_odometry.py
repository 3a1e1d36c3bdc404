"""nav_msgs/Odometry: stand-in for the generated class of the same name; setters check types as the real ones do."""

from geometry_msgs.msg._pose_with_covariance import PoseWithCovariance
from geometry_msgs.msg._twist_with_covariance import TwistWithCovariance
from std_msgs.msg._header import Header


class Odometry:
    """Estimated pose and velocity."""

    __slots__ = ('_header', '_child_frame_id', '_pose', '_twist',)
    FIELDS = (
        ('header', 'message'),
        ('child_frame_id', 'string'),
        ('pose', 'message'),
        ('twist', 'message'),
    )

    def __init__(self):
        self._header = Header()
        self._child_frame_id = ''
        self._pose = PoseWithCovariance()
        self._twist = TwistWithCovariance()

    @property
    def header(self):
        return self._header

    @header.setter
    def header(self, value):
        if __debug__:
            if not isinstance(value, Header):
                raise TypeError('Odometry.header must be a Header')
        self._header = value

    @property
    def child_frame_id(self):
        return self._child_frame_id

    @child_frame_id.setter
    def child_frame_id(self, value):
        if __debug__:
            if not isinstance(value, str):
                raise TypeError('Odometry.child_frame_id must be a str')
        self._child_frame_id = value

    @property
    def pose(self):
        return self._pose

    @pose.setter
    def pose(self, value):
        if __debug__:
            if not isinstance(value, PoseWithCovariance):
                raise TypeError('Odometry.pose must be a PoseWithCovariance')
        self._pose = value

    @property
    def twist(self):
        return self._twist

    @twist.setter
    def twist(self, value):
        if __debug__:
            if not isinstance(value, TwistWithCovariance):
                raise TypeError('Odometry.twist must be a TwistWithCovariance')
        self._twist = value
