"""A topic's receiving end: one loopback UDP socket."""

import socket

from rclpy.serialization import deserialize_message

MAX_DATAGRAM = 65535


class Subscription:
    def __init__(self, context, message_type, topic, callback):
        self.message_type = message_type
        self.topic = topic
        self.callback = callback
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(('127.0.0.1', 0))
        self._socket.setblocking(False)
        self._context = context
        context.ports.setdefault(topic, []).append(self._socket.getsockname())

    def fileno(self):
        return self._socket.fileno()

    def take_message(self):
        """The next message, or None when the datagram is gone already."""
        try:
            data = self._socket.recv(MAX_DATAGRAM)
        except BlockingIOError:
            return None
        return deserialize_message(data, self.message_type)

    def destroy(self):
        self._context.ports[self.topic].remove(self._socket.getsockname())
        self._socket.close()
