"""The operators whose names begin with "dyn.nn."."""

from .. import _operators

_operators.install(globals(), "dyn.nn.")
