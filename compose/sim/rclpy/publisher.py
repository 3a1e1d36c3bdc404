"""Publishes by UDP to every port that listens on the topic."""

import socket

from rclpy.serialization import serialize_message

# A loopback datagram holds at most this many bytes; a longer message goes out in pieces.
MAX_DATAGRAM = 60000


class Publisher:
    def __init__(self, context, message_type, topic):
        self.message_type = message_type
        self.topic = topic
        self.published = 0
        self._context = context
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)

    def publish(self, message):
        data = serialize_message(message)
        for address in self._context.destinations(self.topic):
            if len(data) <= MAX_DATAGRAM:
                self._socket.sendto(data, address)
            else:
                for start in range(0, len(data), MAX_DATAGRAM):
                    self._socket.sendto(data[start:start + MAX_DATAGRAM], address)
        self.published += 1

    def get_subscription_count(self):
        return len(self._context.destinations(self.topic))

    def destroy(self):
        self._socket.close()
