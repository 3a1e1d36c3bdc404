"""tf2_msgs/TFMessage: stand-in for the generated class of the same name; setters check types as the real ones do."""

from geometry_msgs.msg._transform_stamped import TransformStamped


class TFMessage:
    """A list of transforms."""

    __slots__ = ('_transforms',)
    FIELDS = (
        ('transforms', 'messages'),
    )

    def __init__(self):
        self._transforms = []

    @property
    def transforms(self):
        return self._transforms

    @transforms.setter
    def transforms(self, value):
        if __debug__:
            if not all(isinstance(item, TransformStamped) for item in value):
                raise TypeError('TFMessage.transforms must be a list of TransformStamped')
        self._transforms = value
