"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError
from lathe.relay.frontend.pytorch._operators.shapes import extents_of as extents_of
from lathe.relay.frontend.pytorch._importer import flat as flat
from lathe.relay.frontend.pytorch._registry import operator as operator
from lathe.relay.frontend.pytorch._registry import operators as operators
