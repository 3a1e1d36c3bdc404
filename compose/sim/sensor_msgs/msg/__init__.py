"""Message classes of the stand-in package."""

from sensor_msgs.msg._image import Image
from sensor_msgs.msg._imu import Imu
from sensor_msgs.msg._laser_scan import LaserScan

__all__ = ['Image', 'Imu', 'LaserScan']
