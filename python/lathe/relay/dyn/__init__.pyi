"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.relay.expr as _relay
from . import nn as nn

def arange(start: Any, stop: Any, step: Any) -> _relay.Expr:
    """start, start + step, ... before stop, with numbers that a run knows: [max(0, ceil((stop - start) / step))]. `step` must not be 0. A composition.

    Args:
        start: an expression. [] (a floating type or an integer type).
        stop: an expression. [] (a floating type or an integer type).
        step: an expression. [] (a floating type or an integer type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.dyn.arange(relay.var("start", shape=()), relay.var("stop", shape=()), relay.var("step", shape=()))
    """

def broadcast_to(data: Any, shape: Any) -> _relay.Expr:
    """broadcast_to with a shape that a run knows: extents of 1 repeat, others must be those of `shape`. A composition.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        shape: an expression. The shape: [its rank] (int32 or int64).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.dyn.broadcast_to(relay.var("data", shape=(1, 1)), relay.var("shape", shape=(3,), dtype="int64"))
    """

def expand_dims(data: Any, axis: Any) -> _relay.Expr:
    """The input with dimensions of extent 1 at places of the result that a run knows; negative ones count from the end. A composition.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        axis: an expression. The places, all different: [k] (int32 or int64).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.dyn.expand_dims(relay.var("data", shape=(3, 4)), relay.var("axis", shape=(1,), dtype="int64"))
    """

def full(fill_value: Any, shape: Any, dtype: Any = ...) -> _relay.Expr:
    """full with a shape that a run knows. A composition.

    Args:
        fill_value: an expression. The value, of rank 0 (a floating type, an integer type or bool).
        shape: an expression. The shape: [its rank] (int32 or int64).
        dtype: the name of an element type. The element type of the result; "": the value's.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.dyn.full(relay.var("fill_value", shape=()), relay.var("shape", shape=(2,), dtype="int64"))
    """

def one_hot(indices: Any, on_value: Any, off_value: Any, depth: Any, axis: Any = ..., dtype: Any = ...) -> _relay.Expr:
    """one_hot with a depth that a run knows. A composition.

    Args:
        indices: an expression. The places; any shape (an integer type).
        on_value: an expression. [] (a floating type, an integer type or bool).
        off_value: an expression. [] (a floating type, an integer type or bool).
        depth: an expression. The extent of the new dimension: [] or [1] (int32 or int64).
        axis: an int. Where the new dimension is.
        dtype: the name of an element type. The element type of the result; "": that of `on_value`.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.dyn.one_hot(relay.var("indices", shape=(4,)), relay.var("on_value", shape=()), relay.var("off_value", shape=()), relay.var("depth", shape=(), dtype="int64"))
    """

def reshape(data: Any, newshape: Any, allow_zero: Any = ...) -> _relay.Expr:
    """The input in the shape that `newshape` says when the graph runs: -1 (once) is what is left, 0 keeps the extent at that place. A composition.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        newshape: an expression. The shape: [its rank] (int32 or int64).
        allow_zero: a bool. Is 0 an extent of 0?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.dyn.reshape(relay.var("data", shape=(2, 4)), relay.var("newshape", shape=(1,), dtype="int64"))
    """

def squeeze(data: Any, axis: Any) -> _relay.Expr:
    """The input without dimensions of extent 1 whose places a run knows; negative ones count from the end. A composition.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        axis: an expression. The places, all different: [k] (int32 or int64).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.dyn.squeeze(relay.var("data", shape=(1, 4)), relay.var("axis", shape=(1,), dtype="int64"))
    """

def strided_slice(data: Any, begin: Any, end: Any, strides: Any = ..., axes: Any = ...) -> _relay.Expr:
    """strided_slice with bounds that a run knows: elements begin, begin + stride, ... before end along some dimensions, as Python slices. A composition.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        begin: an expression. The first places: [number of slices] (int32 or int64).
        end: an expression. The places before which it ends: [number of slices] (int32 or int64).
        strides: an expression, or None. The steps: [number of slices]; left out: 1 (int32 or int64).
        axes: an int or a tuple of ints. The dimensions; empty: the first ones.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.dyn.strided_slice(relay.var("data", shape=(7, 4)), relay.var("begin", shape=(1,), dtype="int64"), relay.var("end", shape=(1,), dtype="int64"))
    """

def tile(data: Any, reps: Any) -> _relay.Expr:
    """tile with repetitions that a run knows, one for each dimension. A composition.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        reps: an expression. How often: [rank of `data`] (int32 or int64).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.dyn.tile(relay.var("data", shape=(2, 4)), relay.var("reps", shape=(2,), dtype="int64"))
    """

def topk(data: Any, k: Any, axis: Any = ..., is_ascend: Any = ..., dtype: Any = ...) -> _relay.TupleWrapper:
    """topk for a k that a run knows, which must be from 0 to the extent of the dimension: (the elements, their places). A composition.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        k: an expression. How many: [] or [1] (int32 or int64).
        axis: an int. The dimension.
        is_ascend: a bool. The smallest ones, in ascending order?.
        dtype: the name of an element type. The element type of the places, an integer.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.dyn.topk(relay.var("data", shape=(3, 5)), relay.var("k", shape=(), dtype="int64"))
    """
