"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.rpc import LocalSession as LocalSession
