"""Written by python/stubs/make_stubs.py."""

from typing import Any
from . import fleet as fleet
