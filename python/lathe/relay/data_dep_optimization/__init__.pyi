"""Written by python/stubs/make_stubs.py."""

from typing import Any
from . import simplify_fc_transpose as simplify_fc_transpose
