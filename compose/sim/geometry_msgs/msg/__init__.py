"""Message classes of the stand-in package."""

from geometry_msgs.msg._point import Point
from geometry_msgs.msg._pose import Pose
from geometry_msgs.msg._pose_with_covariance import PoseWithCovariance
from geometry_msgs.msg._quaternion import Quaternion
from geometry_msgs.msg._transform import Transform
from geometry_msgs.msg._transform_stamped import TransformStamped
from geometry_msgs.msg._twist import Twist
from geometry_msgs.msg._twist_with_covariance import TwistWithCovariance
from geometry_msgs.msg._vector3 import Vector3

__all__ = ['Point', 'Pose', 'PoseWithCovariance', 'Quaternion', 'Transform', 'TransformStamped', 'Twist', 'TwistWithCovariance', 'Vector3']
