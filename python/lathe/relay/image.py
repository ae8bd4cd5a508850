"""The operators whose names begin with "image."."""

from . import _operators

_operators.install(globals(), "image.")

from ._composed_windows import dilation2d  # noqa: E402,F401
