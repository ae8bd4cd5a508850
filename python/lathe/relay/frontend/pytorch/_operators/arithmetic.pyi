"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError
from lathe.relay.frontend.pytorch._registry import operator as operator
from lathe.relay.frontend.pytorch._registry import operators as operators

def extreme(function: Any, x: Any, y: Any) -> Any:
    ...

def numeric(value: Any) -> Any:
    """A tensor of numbers: bool becomes int64.

    Args:
        value: a tensor or number.
    """
