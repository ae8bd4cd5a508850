"""Changes of networks that look at the values of their parameters."""

from . import simplify_fc_transpose
