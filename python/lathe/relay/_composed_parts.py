"""What the compositions of operators have in common: extents, axes, shapes and constants."""

from . import expr as _e
from ._operators import builder as _op
from .compound import Tuple, TupleWrapper


def extents(expr):
    """The extents of an expression whose shape is known.

    Args:
        expr: an expression, or what becomes one.

    Returns:
        A list of ints.

    Raises:
        LatheTypeError: `graph-shape-type`: an extent is no number.

    Example:
        >>> from lathe import relay
        >>> relay._composed_parts.extents(relay.var("x", shape=(2, 3)))
        [2, 3]
    """
    return list(_e.as_expr(expr).checked_type.concrete_shape)


def plain_shape(shape):
    """The extents as a list; those of a constant are its elements.

    Example:
        >>> from lathe import relay
        >>> relay._composed_parts.plain_shape((2, 3))
        [2, 3]
    """
    if isinstance(shape, _e.Constant):
        return shape.data.numpy().tolist()
    return list(shape) if isinstance(shape, (list, tuple)) else [shape]


def number(value, dtype):
    """A constant of an element type.

    Args:
        value: a number or an array.
        dtype: the element type.

    Example:
        >>> from lathe import relay
        >>> relay._composed_parts.number(1, "int64").checked_type
        int64[]
    """
    return _e.const(value, dtype)


def column(data, i, axis=-1):
    """The elements at place `i` along an axis, which disappears.

    Example:
        >>> from lathe import relay
        >>> relay._composed_parts.column(relay.var("x", shape=(2, 3)), 1).checked_type
        float32[2]
    """
    return _op("take")(data, _e.const(i), axis=axis)


def tuple_of(*fields):
    """Several results, as those of an operator.

    Example:
        >>> from lathe import relay
        >>> len(relay._composed_parts.tuple_of(relay.const(1), relay.const(2.0)))
        2
    """
    return TupleWrapper(Tuple(fields), len(fields))
