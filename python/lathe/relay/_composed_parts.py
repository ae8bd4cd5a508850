"""What the compositions of operators have in common: extents, axes, shapes, padding and constants."""

from ..error import LatheTypeError, LatheValueError
from . import expr as _e
from . import ty
from ._operators import builder as _op
from .compound import Tuple, TupleWrapper


def extents(expr, rank=None, what="the data"):
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
    found = _e.as_expr(expr).checked_type
    if not hasattr(found, "shape") or rank is not None and len(found.shape) != rank:
        raise LatheValueError(f"{what} must have another number of dimensions", "relay-rank",
                              f"expected: a tensor of {'any' if rank is None else rank}\nfound: {found}")
    return list(found.concrete_shape)


def axis_of(axis, rank, what="the data"):
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
    if not hasattr(axis, "__index__") or not -rank <= axis < rank:
        raise LatheValueError(f"{what} does not have this axis", "relay-axis",
                              f"expected: {f'{-rank} to {rank - 1}' if rank else 'at least one dimension'}\n"
                              f"found: axis {axis} of {rank} dimensions")
    return int(axis) % rank


def integer(expr, what="the data", kinds=None):
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
    found = getattr(_e.as_expr(expr).checked_type, "dtype", "a tuple")
    if found not in kinds if kinds else not found.startswith(("int", "uint")):
        raise LatheTypeError(f"{what} must be integers", "relay-integer-type",
                             f"expected: {' or '.join(kinds or ['an integer type'])}\nfound: {found}")
    return found


def plain_shape(shape):
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
    if isinstance(shape, _e.Constant):
        shape = shape.data.numpy()
    if hasattr(shape, "ravel"):
        shape = shape.ravel().tolist()
    known = isinstance(shape, int) or hasattr(shape, "value") or hasattr(shape, "__iter__")
    found = [ty.plain_extent(n) for n in ty.extents(shape)] if known else [shape]
    if any(not isinstance(n, int) for n in found):
        raise LatheTypeError("these extents must be known", "graph-shape-type", f"expected: ints\nfound: {shape}")
    return found


def sides_of(padding, window):
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
    count = len(window)
    if isinstance(padding, str):
        if padding not in ("VALID", "SAME"):
            return None
        missing = [(n - 1) * (padding == "SAME") for n in plain_shape(window)]
        return [n - n // 2 for n in missing] + [n // 2 for n in missing]
    try:
        given = plain_shape(padding)
    except LatheTypeError:
        return None
    return given * {1: 2 * count, count: 2, 2 * count: 1}[len(given)] if len(given) in (1, count, 2 * count) else None


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
