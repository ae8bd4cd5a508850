"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError
from lathe.relay.frontend.pytorch._operators.shapes import at_least as at_least
from lathe.relay.frontend.pytorch._operators.shapes import broadcast_shape as broadcast_shape
from lathe.relay.frontend.pytorch._operators.indexing import diagonal as diagonal
from lathe.relay.frontend.pytorch._operators.indexing import from_front as from_front
from lathe.relay.frontend.pytorch._operators.indexing import index_of as index_of
from lathe.relay.frontend.pytorch._registry import operator as operator
from lathe.relay.frontend.pytorch._registry import operators as operators
