"""sensor_msgs/Image: stand-in for the generated class of the same name; setters check types as the real ones do."""

from std_msgs.msg._header import Header


class Image:
    """An uncompressed image."""

    __slots__ = ('_header', '_height', '_width', '_encoding', '_step', '_data',)
    FIELDS = (
        ('header', 'message'),
        ('height', 'I'),
        ('width', 'I'),
        ('encoding', 'string'),
        ('step', 'I'),
        ('data', 'bytes'),
    )

    def __init__(self):
        self._header = Header()
        self._height = 0
        self._width = 0
        self._encoding = ''
        self._step = 0
        self._data = b''

    @property
    def header(self):
        return self._header

    @header.setter
    def header(self, value):
        if __debug__:
            if not isinstance(value, Header):
                raise TypeError('Image.header must be a Header')
        self._header = value

    @property
    def height(self):
        return self._height

    @height.setter
    def height(self, value):
        if __debug__:
            if not isinstance(value, int):
                raise TypeError('Image.height must be an int')
        self._height = value

    @property
    def width(self):
        return self._width

    @width.setter
    def width(self, value):
        if __debug__:
            if not isinstance(value, int):
                raise TypeError('Image.width must be an int')
        self._width = value

    @property
    def encoding(self):
        return self._encoding

    @encoding.setter
    def encoding(self, value):
        if __debug__:
            if not isinstance(value, str):
                raise TypeError('Image.encoding must be a str')
        self._encoding = value

    @property
    def step(self):
        return self._step

    @step.setter
    def step(self, value):
        if __debug__:
            if not isinstance(value, int):
                raise TypeError('Image.step must be an int')
        self._step = value

    @property
    def data(self):
        return self._data

    @data.setter
    def data(self, value):
        if __debug__:
            if not isinstance(value, (bytes, bytearray)):
                raise TypeError('Image.data must be bytes')
        self._data = value
