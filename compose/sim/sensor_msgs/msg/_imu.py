"""sensor_msgs/Imu: stand-in for the generated class of the same name; setters check types as the real ones do."""

import array

from geometry_msgs.msg._quaternion import Quaternion
from geometry_msgs.msg._vector3 import Vector3
from std_msgs.msg._header import Header


class Imu:
    """Orientation, angular velocity and linear acceleration."""

    __slots__ = ('_header', '_orientation', '_orientation_covariance', '_angular_velocity', '_angular_velocity_covariance', '_linear_acceleration', '_linear_acceleration_covariance',)
    FIELDS = (
        ('header', 'message'),
        ('orientation', 'message'),
        ('orientation_covariance', 'array:d'),
        ('angular_velocity', 'message'),
        ('angular_velocity_covariance', 'array:d'),
        ('linear_acceleration', 'message'),
        ('linear_acceleration_covariance', 'array:d'),
    )

    def __init__(self):
        self._header = Header()
        self._orientation = Quaternion()
        self._orientation_covariance = array.array('d', bytes(8 * 9))
        self._angular_velocity = Vector3()
        self._angular_velocity_covariance = array.array('d', bytes(8 * 9))
        self._linear_acceleration = Vector3()
        self._linear_acceleration_covariance = array.array('d', bytes(8 * 9))

    @property
    def header(self):
        return self._header

    @header.setter
    def header(self, value):
        if __debug__:
            if not isinstance(value, Header):
                raise TypeError('Imu.header must be a Header')
        self._header = value

    @property
    def orientation(self):
        return self._orientation

    @orientation.setter
    def orientation(self, value):
        if __debug__:
            if not isinstance(value, Quaternion):
                raise TypeError('Imu.orientation must be a Quaternion')
        self._orientation = value

    @property
    def orientation_covariance(self):
        return self._orientation_covariance

    @orientation_covariance.setter
    def orientation_covariance(self, value):
        if isinstance(value, array.array) and value.typecode == 'd' and len(value) == 9:
            self._orientation_covariance = value
            return
        if __debug__:
            if len(value) != 9 or not all(isinstance(item, float) for item in value):
                raise TypeError('Imu.orientation_covariance must be 9 floats')
        self._orientation_covariance = array.array('d', value)

    @property
    def angular_velocity(self):
        return self._angular_velocity

    @angular_velocity.setter
    def angular_velocity(self, value):
        if __debug__:
            if not isinstance(value, Vector3):
                raise TypeError('Imu.angular_velocity must be a Vector3')
        self._angular_velocity = value

    @property
    def angular_velocity_covariance(self):
        return self._angular_velocity_covariance

    @angular_velocity_covariance.setter
    def angular_velocity_covariance(self, value):
        if isinstance(value, array.array) and value.typecode == 'd' and len(value) == 9:
            self._angular_velocity_covariance = value
            return
        if __debug__:
            if len(value) != 9 or not all(isinstance(item, float) for item in value):
                raise TypeError('Imu.angular_velocity_covariance must be 9 floats')
        self._angular_velocity_covariance = array.array('d', value)

    @property
    def linear_acceleration(self):
        return self._linear_acceleration

    @linear_acceleration.setter
    def linear_acceleration(self, value):
        if __debug__:
            if not isinstance(value, Vector3):
                raise TypeError('Imu.linear_acceleration must be a Vector3')
        self._linear_acceleration = value

    @property
    def linear_acceleration_covariance(self):
        return self._linear_acceleration_covariance

    @linear_acceleration_covariance.setter
    def linear_acceleration_covariance(self, value):
        if isinstance(value, array.array) and value.typecode == 'd' and len(value) == 9:
            self._linear_acceleration_covariance = value
            return
        if __debug__:
            if len(value) != 9 or not all(isinstance(item, float) for item in value):
                raise TypeError('Imu.linear_acceleration_covariance must be 9 floats')
        self._linear_acceleration_covariance = array.array('d', value)
