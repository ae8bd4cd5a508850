"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError
from lathe.relay.frontend.pytorch._operators.elementwise import log_add as log_add
from lathe.relay.frontend.pytorch._registry import operators as operators
from lathe.relay.frontend.pytorch._operators.indexing import slice_of as slice_of
