"""Message classes of the stand-in package."""

from std_msgs.msg._header import Header

__all__ = ['Header']
