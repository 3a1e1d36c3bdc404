"""Serialises a message the CDR way: little endian, 4-byte encapsulation header, natural alignment."""

import struct

_SIZE = {'d': 8, 'f': 4, 'i': 4, 'I': 4}
_PACK = {kind: struct.Struct('<' + kind).pack for kind in _SIZE}
_UNPACK = {kind: struct.Struct('<' + kind).unpack_from for kind in _SIZE}
_PADDING = [bytes(count) for count in range(8)]
_HEADER = b'\x00\x01\x00\x00'


def serialize_message(message):
    """Return the bytes of `message`, header first; alignment counts from the end of the header."""
    buffer = bytearray()
    _write(buffer, message)
    return _HEADER + bytes(buffer)


def deserialize_message(data, message_type):
    """Fill a fresh `message_type` of plain numbers and nested messages; raises struct.error on short data."""
    message = message_type()
    _read(memoryview(data)[len(_HEADER):], 0, message)
    return message


def _align(buffer, size):
    rest = len(buffer) % size
    if rest:
        buffer += _PADDING[size - rest]


def _write_length(buffer, length):
    _align(buffer, 4)
    buffer += _PACK['I'](length)


def _write(buffer, message):
    for name, kind in message.FIELDS:
        value = getattr(message, name)
        pack = _PACK.get(kind)
        if pack is not None:
            _align(buffer, _SIZE[kind])
            buffer += pack(value)
        elif kind == 'message':
            _write(buffer, value)
        elif kind == 'string':
            encoded = value.encode('utf-8')
            _write_length(buffer, len(encoded) + 1)
            buffer += encoded
            buffer += b'\x00'
        elif kind == 'bytes':
            _write_length(buffer, len(value))
            buffer += value
        elif kind == 'messages':
            _write_length(buffer, len(value))
            for item in value:
                _write(buffer, item)
        else:
            shape, code = kind.split(':')
            if shape == 'sequence':
                _write_length(buffer, len(value))
            _align(buffer, _SIZE[code])
            buffer += value.tobytes()


def _read(data, offset, message):
    for name, kind in message.FIELDS:
        if kind == 'message':
            offset = _read(data, offset, getattr(message, name))
        else:
            size = _SIZE[kind]
            offset += -offset % size
            setattr(message, name, _UNPACK[kind](data, offset)[0])
            offset += size
    return offset
