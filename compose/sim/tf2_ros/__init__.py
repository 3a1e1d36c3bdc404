"""Stand-in for tf2_ros."""

from tf2_ros.transform_broadcaster import TransformBroadcaster

__all__ = ['TransformBroadcaster']
