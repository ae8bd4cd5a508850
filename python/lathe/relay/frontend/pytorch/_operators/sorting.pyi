"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.relay.frontend.pytorch._operators.shapes import at_least as at_least
from lathe.relay.frontend.pytorch._registry import operator as operator
from lathe.relay.frontend.pytorch._registry import operators as operators
from lathe.relay.frontend.pytorch._operators.indexing import select as select
from lathe.relay.frontend.pytorch._operators.indexing import slice_of as slice_of
