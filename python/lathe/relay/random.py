"""The operators whose names begin with "random."."""

from . import _operators

_operators.install(globals(), "random.")
