"""The operators whose names begin with "qnn."."""

from .. import _operators

_operators.install(globals(), "qnn.")
