"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError
from lathe.relay.compound import Tuple as Tuple
from lathe.relay.compound import TupleWrapper as TupleWrapper

def axis_of(axis: Any, rank: Any, what: Any = ...) -> Any:
    """A dimension's number, counted from the front.

    Args:
        axis: the number; below 0 it counts from the end.
        rank: how many dimensions there are.
        what: what has them, for the error.

    Returns:
        An int from 0 to rank - 1.

    Raises:
        LatheValueError: `relay-axis`: there is no such dimension.

    Example:
        >>> from lathe import relay
        >>> relay._composed_parts.axis_of(-1, 3)
        2
    """

def column(data: Any, i: Any, axis: Any = ...) -> Any:
    """The elements at place `i` along an axis, which disappears.

    Example:
        >>> from lathe import relay
        >>> relay._composed_parts.column(relay.var("x", shape=(2, 3)), 1).checked_type
        float32[2]
    """

def extents(expr: Any, rank: Any = ..., what: Any = ...) -> Any:
    """The extents of an expression whose shape is known.

    Args:
        expr: an expression, or what becomes one.
        rank: how many there must be; None: any number.
        what: what it is, for the error.

    Returns:
        A list of ints.

    Raises:
        LatheTypeError: `graph-shape-type`: an extent is no number.
        LatheValueError: `relay-rank`: there are not `rank` of them.

    Example:
        >>> from lathe import relay
        >>> relay._composed_parts.extents(relay.var("x", shape=(2, 3)))
        [2, 3]
    """

def integer(expr: Any, what: Any = ..., kinds: Any = ...) -> Any:
    """The element type of an expression of integers.

    Args:
        expr: an expression, or what becomes one.
        what: what it is, for the error.
        kinds: the types that are possible; None: all integers.

    Raises:
        LatheTypeError: `relay-integer-type`: it is another one.

    Example:
        >>> from lathe import relay
        >>> relay._composed_parts.integer(relay.const(3))
        'int32'
    """

def number(value: Any, dtype: Any) -> Any:
    """A constant of an element type.

    Args:
        value: a number or an array.
        dtype: the element type.

    Example:
        >>> from lathe import relay
        >>> relay._composed_parts.number(1, "int64").checked_type
        int64[]
    """

def plain_shape(shape: Any) -> Any:
    """The extents as a list of ints.

    Args:
        shape: an int, a list or tuple, an array, or a constant whose elements they are.

    Raises:
        LatheTypeError: `graph-shape-type`: an extent is no int.

    Example:
        >>> from lathe import relay
        >>> relay._composed_parts.plain_shape((2, 3)), relay._composed_parts.plain_shape(relay.const([2, 3]))
        ([2, 3], [2, 3])
    """

def sides_of(padding: Any, window: Any) -> Any:
    """The padding of each dimension.

    Args:
        padding: a number for all; a number for each dimension; all numbers before, then all after;
            "VALID" (none) or "SAME" (results of the data's extents, for a stride of 1; of an odd sum the
            larger half is before).
        window: the extents of the window.

    Returns:
        A list: all numbers before, then all numbers after; or None if this is no padding.

    Example:
        >>> from lathe import relay
        >>> relay._composed_parts.sides_of("SAME", (3, 4))
        [1, 2, 1, 1]
    """

def tuple_of(*fields: Any) -> Any:
    """Several results, as those of an operator.

    Example:
        >>> from lathe import relay
        >>> len(relay._composed_parts.tuple_of(relay.const(1), relay.const(2.0)))
        2
    """
