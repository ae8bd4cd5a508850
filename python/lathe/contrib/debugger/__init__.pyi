"""Written by python/stubs/make_stubs.py."""

from typing import Any
from . import debug_executor as debug_executor
