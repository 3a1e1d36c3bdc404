"""The world's MJCF text: the packaged arena, with as many loose bodies as the load asks for."""

import os

MODEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'models', 'rover.xml')
_PLACE = '<!-- clutter -->'
_PER_ROW = 24
_PITCH = 0.3


def load_world(path):
    """The text of an MJCF file; raises OSError."""
    with open(path, encoding='utf-8') as stream:
        return stream.read()


def with_clutter(text, bodies):
    """Put `bodies` loose boxes and balls on a yard south of the arena; a text without a place stays as it is."""
    return text.replace(_PLACE, '\n    '.join(_body(number) for number in range(bodies)))


def _body(number):
    x = (number % _PER_ROW - _PER_ROW / 2) * _PITCH
    y = -7.0 - number // _PER_ROW * _PITCH
    shape = 'type="sphere" size="0.07"' if number % 3 == 2 else 'type="box" size="0.07 0.05 0.07"'
    return ('<body name="clutter_%d" pos="%.3f %.3f 0.07"><freejoint/>'
            '<geom %s rgba="0.8 0.5 0.2 1"/></body>' % (number, x, y, shape))
