"""The operators whose names begin with "nn."."""

from . import _operators

_operators.install(globals(), "nn.")
