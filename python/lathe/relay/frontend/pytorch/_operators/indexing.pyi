"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError
from lathe.relay.frontend.pytorch._operators.shapes import at_least as at_least
from lathe.relay.frontend.pytorch._operators.shapes import broadcast_shape as broadcast_shape
from lathe.relay.frontend.pytorch._registry import operator as operator
from lathe.relay.frontend.pytorch._registry import operators as operators
from lathe.relay.frontend.pytorch._operators.shapes import reshaped as reshaped
from lathe import tir as tir

def diagonal(x: Any, a: Any) -> Any:
    """Elements x[..., i, i + offset], as the last dimension."""

def from_front(index: Any, extent: Any) -> Any:
    """Places of which negative ones count from the end."""

def index_of(value: Any) -> Any:
    """Places, as int64."""

def select(x: Any, axis: Any, index: Any) -> Any:
    ...

def set_selected(data: Any, value: Any, axis: Any, index: Any) -> Any:
    """`data` with `value` at one place of a dimension.

    Args:
        data: an expression.
        value: an expression of one dimension less.
        axis: the dimension.
        index: an int, a size, or an expression of one element; a negative one counts from the end.

    Returns:
        An expression.
    """

def set_slice(data: Any, value: Any, axis: Any, start: Any, end: Any, step: Any) -> Any:
    """`data` with `value` in a slice along one dimension."""

def slice_of(x: Any, axis: Any, start: Any, end: Any, step: Any) -> Any:
    ...
