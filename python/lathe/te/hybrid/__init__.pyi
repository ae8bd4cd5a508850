"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.te.hybrid.script import HybridError as HybridError
from lathe.te.hybrid.script import script as script
