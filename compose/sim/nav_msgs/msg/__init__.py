"""Message classes of the stand-in package."""

from nav_msgs.msg._odometry import Odometry

__all__ = ['Odometry']
