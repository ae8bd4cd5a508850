"""The operators whose names begin with "vision."."""

from . import _operators

_operators.install(globals(), "vision.")
