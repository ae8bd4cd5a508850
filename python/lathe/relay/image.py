"""The operators whose names begin with "image."."""

from . import _operators

_operators.install(globals(), "image.")
