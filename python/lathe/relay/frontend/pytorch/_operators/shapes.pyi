"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError
from lathe.relay.frontend.pytorch._registry import operator as operator
from lathe.relay.frontend.pytorch._registry import operators as operators

def at_least(x: Any, rank: Any) -> Any:
    """A tensor with further dimensions of extent 1, by the rules of atleast_1d, 2d, 3d."""

def broadcast_shape(shapes: Any) -> Any:
    """The shape that tensors of these shapes are broadcast to."""

def extents_of(value: Any) -> Any:
    """Extents of a list, a tensor or a number, as ints and expressions over sizes."""

def reshaped(x: Any, shape: Any) -> Any:
    """The elements in another shape; -1 is what is left."""
