"""Message classes of the stand-in package."""

from tf2_msgs.msg._tf_message import TFMessage

__all__ = ['TFMessage']
