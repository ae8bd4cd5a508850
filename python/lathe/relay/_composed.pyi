"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError
from lathe.relay._composed_parts import extents as extents
from lathe.relay.call import plain as plain
from lathe.relay._composed_parts import plain_shape as plain_shape
from lathe.relay.op._register import register_op as register_op

def cast_like(data: Any, dtype_like: Any) -> Any:
    """`data` with the element type of another expression.

    Example:
        >>> from lathe import relay
        >>> relay.cast_like(relay.const(1.5), relay.const(1, "int8")).checked_type
        int8[]
    """

def collapse_sum_like(data: Any, collapse_type: Any) -> Any:
    """`collapse_sum_to` the shape of another expression.

    Args:
        data: an expression whose shape is known.
        collapse_type: an expression whose shape is known, and broadcasts to that of `data`.

    Returns:
        An expression of the shape of `collapse_type`.

    Raises:
        LatheError: as of `collapse_sum_to`.

    Example:
        >>> from lathe import relay
        >>> like = relay.var("y", shape=(2, 1))
        >>> relay.collapse_sum_like(relay.var("x", shape=(4, 2, 3)), like).checked_type
        float32[2, 1]
    """

def collapse_sum_to(data: Any, shape: Any) -> Any:
    """The sum of `data` over all that broadcasting to its shape from `shape` repeats.

    Args:
        data: an expression whose shape is known.
        shape: the extents of the result.

    Returns:
        An expression of the shape `shape`.

    Raises:
        LatheError: `relay-collapse-shape`: `shape` does not broadcast to the shape of `data`. `graph-shape-type`: one
            of the two is not known.

    Example:
        >>> from lathe import relay
        >>> relay.collapse_sum_to(relay.var("x", shape=(4, 2, 3)), (2, 1)).checked_type
        float32[2, 1]
    """

def reinterpret(data: Any, dtype: Any) -> Any:
    """The bits of `data` as elements of another type of the same size.

    Raises:
        LatheError: `graph-argument`: the types have different sizes, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> run = relay.create_executor("graph", relay.reinterpret(relay.const(1.0), "int32")).evaluate()
        >>> int(run().numpy())
        1065353216
    """

def reverse_reshape(data: Any, newshape: Any) -> Any:
    """`reshape` whose codes 0 and -1 are read from the right.

    Args:
        data: an expression whose shape is known.
        newshape: extents; 0: that of the axis as many places from the right; -1: what is left.

    Raises:
        LatheError: `relay-reshape-code`: another code, or a 0 where the data has no axis. `graph-shape-type`: the shape
            of the data is not known.

    Example:
        >>> from lathe import relay
        >>> relay.reverse_reshape(relay.var("x", shape=(10, 5, 4)), (-1, 0)).checked_type
        float32[50, 4]
    """
