"""Publishes the robot's state through rclpy, and takes velocity commands from it."""

import random
import threading

import mujoco
import rclpy
from geometry_msgs.msg import TransformStamped, Twist
from nav_msgs.msg import Odometry
from rclpy.executors import SingleThreadedExecutor
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Image, Imu, LaserScan
from tf2_ros import TransformBroadcaster

from rover_sim.bridge import BridgeBase, Endpoint
from rover_sim.registry import fill_image, fill_imu, fill_laser_scan, fill_odometry, fill_transform, stamp_header

TELEOP_PERIOD = 0.5


class Ros2Bridge(BridgeBase):
    def connect(self, plugins):
        self._sources = [plugin for plugin in plugins if 'publish_every' in plugin.settings]

    def _connect(self, ctx):
        self._node = rclpy.create_node('rover_bridge')
        self._clock_publisher = self._node.create_publisher(Clock, '/clock')
        self._broadcaster = TransformBroadcaster(self._node)
        self._tf_every = self.settings['tf_every']
        self._bodies = self._transform_bodies(ctx)
        for plugin in self._sources:
            self._add_endpoint(plugin)
        self._ctx = ctx
        self._node.create_subscription(Twist, '/cmd_vel', self._on_cmd_vel)
        self._teleop = Teleop()
        self.executor = SingleThreadedExecutor()
        self.executor.add_node(self._node)
        self.executor.add_node(self._teleop.node)
        self.thread = None
        if self.settings['spin']:
            self.thread = threading.Thread(target=self.executor.spin, daemon=True)
            self.thread.start()

    def _transform_bodies(self, ctx):
        """The robot, then `transforms` further bodies, over again when the world has fewer."""
        others = list(range(2, ctx.model.nbody))
        chosen = [1] + [others[i % len(others)] for i in range(self.settings['transforms'])]
        return [('%s_%d' % (mujoco.mj_id2name(ctx.model, mujoco.mjtObj.mjOBJ_BODY, body), i), body)
                for i, body in enumerate(chosen)]

    def _add_endpoint(self, plugin):
        kind, every = plugin.settings['type'], plugin.settings['publish_every']
        if kind in ('lidar', 'coverage'):
            endpoint = Endpoint('/%s/scan' % plugin.name, LaserScan, plugin.name, every, plugin.read_state,
                                fill_laser_scan)
        elif kind == 'imu':
            endpoint = Endpoint('/imu', Imu, 'base_link', every, plugin.read_state, fill_imu)
        elif kind == 'odometry':
            endpoint = Endpoint('/odom', Odometry, 'odom', every, plugin.read_odom, fill_odometry)
        else:
            endpoint = Endpoint('/camera/image', Image, 'camera', every, plugin.read_state, fill_image)
        endpoint.publisher = self._node.create_publisher(endpoint.message_type, endpoint.topic)
        self._endpoints.append(endpoint)

    def _skip_unsubscribed(self, endpoint):
        return endpoint.publisher.get_subscription_count() == 0

    def _publish(self, endpoint, payload, ctx):
        message = endpoint.message_type()
        stamp_header(message.header, ctx.time, endpoint.frame_id)
        endpoint.fill(message, payload)
        endpoint.publisher.publish(message)

    def _tick(self, ctx):
        if ctx.step_count % self._tf_every == 0:
            self._broadcaster.sendTransform(self._transforms(ctx))
        message = Clock()
        seconds = int(ctx.time)
        message.clock.sec = seconds
        message.clock.nanosec = int((ctx.time - seconds) * 1e9)
        self._clock_publisher.publish(message)

    def _transforms(self, ctx):
        positions, quaternions = ctx.data.xpos, ctx.data.xquat
        transforms = []
        for frame_id, body in self._bodies:
            transform = TransformStamped()
            stamp_header(transform.header, ctx.time, 'world')
            fill_transform(transform, frame_id, positions[body].tolist(), quaternions[body].tolist())
            transforms.append(transform)
        return transforms

    def _on_cmd_vel(self, message):
        snapshot = self._ctx.snapshot()
        self._ctx.submit('cmd_vel', (message.linear.x, message.angular.z, snapshot.get('time', 0.0)))

    def published(self):
        """Messages sent so far."""
        return sum(publisher.published for publisher in self._node.publishers)

    def shutdown(self, ctx):
        self.executor.shutdown()
        if self.thread is not None:
            self.thread.join()
        self.executor.destroy()
        self._teleop.node.destroy_node()
        self._node.destroy_node()
        rclpy.shutdown()


class Teleop:
    """Stands for the far end: a velocity command now and then, sent from the executor's thread."""

    def __init__(self):
        self.node = rclpy.create_node('teleop')
        self._publisher = self.node.create_publisher(Twist, '/cmd_vel')
        self._random = random.Random(11)
        self.node.create_timer(TELEOP_PERIOD, self._send)

    def _send(self):
        message = Twist()
        message.linear.x = self._random.uniform(0.0, 0.5)
        message.angular.z = self._random.uniform(-0.8, 0.8)
        self._publisher.publish(message)
