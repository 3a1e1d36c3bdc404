"""Message classes of the stand-in package."""

from builtin_interfaces.msg._time import Time

__all__ = ['Time']
