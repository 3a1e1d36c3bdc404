"""Which class stands behind a plugin's type, and which function fills a message from what a plugin reads."""

import array
import importlib

_CLASSES = {
    'diff_drive': ('rover_sim.plugins.diff_drive', 'DiffDrivePlugin'),
    'imu': ('rover_sim.plugins.imu', 'ImuPlugin'),
    'odometry': ('rover_sim.plugins.odometry', 'OdometryPlugin'),
    'lidar': ('rover_sim.plugins.lidar', 'LidarPlugin'),
    'coverage': ('rover_sim.plugins.coverage', 'CoveragePlugin'),
    'camera': ('rover_sim.plugins.camera', 'CameraPlugin'),
    'ros2_bridge': ('rover_sim.ros2_bridge', 'Ros2Bridge'),
}


def resolve_plugins(config):
    """The plugins of `config['plugins']` (name -> settings with a `type`), in order. Raises ValueError."""
    plugins = []
    for name, settings in config['plugins'].items():
        if settings['type'] not in _CLASSES:
            raise ValueError('plugin %s: unknown type %r, known are %s'
                             % (name, settings['type'], ', '.join(sorted(_CLASSES))))
        module, attribute = _CLASSES[settings['type']]
        plugins.append(getattr(importlib.import_module(module), attribute)(name, settings))
    for plugin in plugins:
        plugin.connect(plugins)
    return plugins


def stamp_header(header, sim_time, frame_id):
    seconds = int(sim_time)
    header.stamp.sec = seconds
    header.stamp.nanosec = int((sim_time - seconds) * 1e9)
    header.frame_id = frame_id


def fill_vector(vector, values):
    vector.x, vector.y, vector.z = values


def fill_quaternion(quaternion, values):
    quaternion.x, quaternion.y, quaternion.z, quaternion.w = values


def fill_laser_scan(message, payload):
    angles, ranges = payload
    message.angle_min = angles[0]
    message.angle_max = angles[1]
    message.angle_increment = (angles[1] - angles[0]) / max(1, len(ranges) - 1)
    message.time_increment = 0.0
    message.scan_time = 0.05
    message.range_min = 0.05
    message.range_max = 12.0
    message.ranges = ranges
    message.intensities = array.array('f', bytes(4 * len(ranges)))


def fill_imu(message, payload):
    acceleration, rate = payload
    message.orientation.w = 1.0
    fill_vector(message.linear_acceleration, acceleration)
    fill_vector(message.angular_velocity, rate)
    message.orientation_covariance = array.array('d', [-1.0] + [0.0] * 8)


def fill_odometry(message, payload):
    message.child_frame_id = 'base_link'
    fill_vector(message.pose.pose.position, payload['position'])
    fill_quaternion(message.pose.pose.orientation, payload['orientation'])
    message.pose.covariance = payload['covariance']
    linear, angular = payload['twist']
    message.twist.twist.linear.x = linear
    message.twist.twist.angular.z = angular
    message.twist.covariance = payload['covariance']


def fill_image(message, payload):
    height, width, channels = payload.shape
    message.height = height
    message.width = width
    message.encoding = 'rgb8'
    message.step = width * channels
    message.data = payload.tobytes()


def fill_transform(message, frame_id, position, quaternion):
    """`quaternion` in MuJoCo's order, w first."""
    message.child_frame_id = frame_id
    fill_vector(message.transform.translation, position)
    w, x, y, z = quaternion
    fill_quaternion(message.transform.rotation, (x, y, z, w))
