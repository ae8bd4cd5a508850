"""The operators whose names begin with "contrib."."""

from . import _operators

_operators.install(globals(), "contrib.")

from .pattern_table import get_pattern_table, register_pattern_table  # noqa: E402,F401
