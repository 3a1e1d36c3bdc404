"""Message classes of the stand-in package."""

from rosgraph_msgs.msg._clock import Clock

__all__ = ['Clock']
