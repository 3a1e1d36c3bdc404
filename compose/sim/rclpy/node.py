"""A node: the owner of publishers, subscriptions and timers."""

from rclpy.clock import Clock
from rclpy.publisher import Publisher
from rclpy.subscription import Subscription
from rclpy.timer import Timer


class Node:
    def __init__(self, name, context):
        self._name = name
        self._context = context
        self._clock = Clock()
        self.publishers = []
        self.subscriptions = []
        self.timers = []

    def get_name(self):
        return self._name

    def get_clock(self):
        return self._clock

    def create_publisher(self, message_type, topic):
        publisher = Publisher(self._context, message_type, topic)
        self.publishers.append(publisher)
        return publisher

    def create_subscription(self, message_type, topic, callback):
        subscription = Subscription(self._context, message_type, topic, callback)
        self.subscriptions.append(subscription)
        return subscription

    def create_timer(self, period, callback):
        timer = Timer(period, callback)
        self.timers.append(timer)
        return timer

    def destroy_node(self):
        for entity in self.publishers + self.subscriptions:
            entity.destroy()
