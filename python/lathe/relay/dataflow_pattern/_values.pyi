"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.relay.op import op_pattern as op_pattern

def has_attrs(expr: Any, attrs: Any) -> Any:
    """Has a call, function or operator these attributes?"""

def has_shape(found: Any, shape: Any) -> Any:
    """Is it the type of a tensor of this shape?"""

def same_constant(a: Any, b: Any) -> Any:
    """Have two constants the same type and bytes?"""

def same_leaf(wanted: Any, found: Any) -> Any:
    """Is it the same operator or expression? Constants are compared by value."""

def same_type(found: Any, wanted: Any) -> Any:
    """Do two types agree, with extents compared by arithmetic?"""

def same_value(a: Any, b: Any) -> Any:
    """Are two values of attributes, or extents, equal? A list is equal to a tuple."""
