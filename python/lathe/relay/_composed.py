"""Operators of Relay's that are compositions of Lathe's, or of a type that is known when they are built."""

from .. import _nodes
from ..error import LatheValueError
from . import expr as _e
from ._composed_parts import extents, plain_shape
from ._operators import builder as _op
from .call import plain
from .op._register import register_op


def cast_like(data, dtype_like):
    """`data` with the element type of another expression.

    Example:
        >>> from lathe import relay
        >>> relay.cast_like(relay.const(1.5), relay.const(1, "int8")).checked_type
        int8[]
    """
    return _op("cast")(data, _e.as_expr(dtype_like).checked_type.dtype)


def collapse_sum_to(data, shape):
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
    data = _e.as_expr(data)
    given, wanted = extents(data), plain_shape(shape)
    more = len(given) - len(wanted)
    if more < 0 or any(w not in (1, n) for w, n in zip(wanted, given[more:])):
        raise LatheValueError("the shape to collapse to must broadcast to that of the data", "relay-collapse-shape",
                              f"expected: a shape that broadcasts to {tuple(given)}\nfound: {tuple(wanted)}")
    axes = [i for i, n in enumerate(given) if i < more or (wanted[i - more] == 1 and n != 1)]
    summed = _op("sum")(data, axis=axes, keepdims=True) if axes else data
    return _op("reshape")(summed, wanted) if more else summed


def collapse_sum_like(data, collapse_type):
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
    return collapse_sum_to(data, extents(collapse_type))


def reverse_reshape(data, newshape):
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
    given, wanted = extents(data)[::-1], plain_shape(newshape)[::-1]
    if any(n < -1 for n in wanted):
        raise LatheValueError("a code of reverse_reshape must be 0 or -1", "relay-reshape-code",
                              f"found: {tuple(newshape)}")
    if 0 in wanted[len(given):]:
        raise LatheValueError("each 0 of reverse_reshape must stand for an axis of the data", "relay-reshape-code",
                              f"expected: no 0 before the last {len(given)} places\nfound: {tuple(newshape)}")
    made = [given[i] if n == 0 else n for i, n in enumerate(wanted)]
    return _op("reshape")(data, made[::-1])


def reinterpret(data, dtype):
    """The bits of `data` as elements of another type of the same size.

    Raises:
        LatheError: `graph-argument`: the types have different sizes, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> run = relay.create_executor("graph", relay.reinterpret(relay.const(1.0), "int32")).evaluate()
        >>> int(run().numpy())
        1065353216
    """
    return _op(_REINTERPRET)(data, dtype=plain(dtype))


_REINTERPRET = "lathe.reinterpret"


def _register_reinterpret():
    def type_of(types, attrs):
        return _nodes.CLASSES["TensorType"](list(types[0].shape), attrs["dtype"])

    def compute(tensors, attrs):
        from .. import te, tir

        (x,) = tensors
        return te.compute(x.shape, lambda *i: tir.reinterpret(attrs["dtype"], x(*i)), name="reinterpret")

    register_op(_REINTERPRET, ["data"], {"dtype": str}, type=type_of, compute=compute, kind="elementwise",
                doc="The bits as another type.")


# At import, so that modules with calls of it can be loaded before this program makes one.
_register_reinterpret()
