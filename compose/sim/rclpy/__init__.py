"""Stand-in for rclpy: the same file and function names on the hot paths, over UDP on the loopback interface.

Topics live inside one process. Every publisher also sends to the sink, a bound socket that nobody reads: the
kernel does the whole work of a send, and drops the datagram when the sink is full.
"""

import socket

from rclpy.node import Node

LOOPBACK = '127.0.0.1'


class Context:
    """What one `init` ... `shutdown` owns: the sink and the ports that subscribe to each topic."""

    def __init__(self):
        self.sink = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.sink.bind((LOOPBACK, 0))
        self._sink_address = self.sink.getsockname()
        self.ports = {}

    def destinations(self, topic):
        return [self._sink_address] + self.ports.get(topic, [])

    def close(self):
        self.sink.close()


_state = {'context': None}


def init():
    """Open the context; a second call without `shutdown` keeps the first one."""
    if _state['context'] is None:
        _state['context'] = Context()
    return _state['context']


def ok():
    return _state['context'] is not None


def shutdown():
    context = _state['context']
    _state['context'] = None
    if context is not None:
        context.close()


def create_node(name):
    return Node(name, context=init())


def spin(node, executor):
    executor.add_node(node)
    executor.spin()
