"""The operators whose names begin with "contrib."."""

from . import _operators

_operators.install(globals(), "contrib.")
