"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import make_error as make_error

PLUGINS: Any
