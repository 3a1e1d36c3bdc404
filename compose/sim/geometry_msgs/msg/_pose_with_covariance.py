"""geometry_msgs/PoseWithCovariance: stand-in for the generated class of the same name; setters check types as the real ones do."""

import array

from geometry_msgs.msg._pose import Pose


class PoseWithCovariance:
    """A pose and its 6 x 6 covariance."""

    __slots__ = ('_pose', '_covariance',)
    FIELDS = (
        ('pose', 'message'),
        ('covariance', 'array:d'),
    )

    def __init__(self):
        self._pose = Pose()
        self._covariance = array.array('d', bytes(8 * 36))

    @property
    def pose(self):
        return self._pose

    @pose.setter
    def pose(self, value):
        if __debug__:
            if not isinstance(value, Pose):
                raise TypeError('PoseWithCovariance.pose must be a Pose')
        self._pose = value

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
                raise TypeError('PoseWithCovariance.covariance must be 36 floats')
        self._covariance = array.array('d', value)
