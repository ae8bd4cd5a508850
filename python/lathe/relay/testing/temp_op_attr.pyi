"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.ir import TempOpAttr as TempOpAttr
