"""Stands in for a viewer: it waits for messages on a port of its own container, where none arrive."""

import socket

listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
listener.bind(('127.0.0.1', 9870))
print('viz listens', flush=True)
try:
    while True:
        listener.recv(65536)
except KeyboardInterrupt:
    pass
