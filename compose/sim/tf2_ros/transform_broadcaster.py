"""Publishes transforms on /tf."""

from tf2_msgs.msg import TFMessage


class TransformBroadcaster:
    def __init__(self, node):
        self.publisher = node.create_publisher(TFMessage, '/tf')

    def sendTransform(self, transforms):  # the name that tf2_ros has
        message = TFMessage()
        message.transforms = transforms if isinstance(transforms, list) else [transforms]
        self.publisher.publish(message)
