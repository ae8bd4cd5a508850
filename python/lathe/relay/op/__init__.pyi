"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.relay.expr as _relay
from lathe.relay.call import Op as Op
from lathe.relay._composed_places import adv_index as adv_index
from lathe.relay import annotation as annotation
from lathe.relay._composed import cast_like as cast_like
from lathe.relay._composed import collapse_sum_like as collapse_sum_like
from lathe.relay._composed import collapse_sum_to as collapse_sum_to
from lathe.relay import contrib as contrib
from lathe.relay._composed_places import fixed_point_multiply as fixed_point_multiply
from lathe.relay import image as image
from lathe.relay._composed_places import invert_permutation as invert_permutation
from lathe.relay._composed_places import matrix_set_diag as matrix_set_diag
from lathe.relay._composed_places import mean_std as mean_std
from lathe.relay._composed_places import mean_variance as mean_variance
from lathe.relay import nn as nn
from lathe.relay import random as random
from lathe.relay.op._legalize import register_legalize as register_legalize
from lathe.relay.op._register import register_op as register_op
from lathe.relay._composed import reinterpret as reinterpret
from lathe.relay._composed import reverse_reshape as reverse_reshape
from lathe.relay._composed_places import segment_sum as segment_sum
from lathe.relay._composed_windows import sliding_window as sliding_window
from lathe.relay._composed_sparse import sparse_fill_empty_rows as sparse_fill_empty_rows
from lathe.relay._composed_sparse import sparse_reshape as sparse_reshape
from lathe.relay._composed_nn import sparse_to_dense as sparse_to_dense
from lathe.relay._composed_places import unravel_index as unravel_index
from lathe.relay import vision as vision

class OpPattern:
    """How an operator can be fused, as numbers: the attribute `TOpPattern` of operators.

    Example:
        >>> from lathe import relay
        >>> relay.op.op_pattern("nn.relu") == relay.op.OpPattern.ELEMWISE
        True
    """
    ...

def abs(data: Any) -> _relay.Expr:
    """|x|.

    Args:
        data: an expression. The input (a floating type or an integer type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.abs(relay.var("data", shape=(4, 7)))
    """

def acos(data: Any) -> _relay.Expr:
    """The arc cosine, in radians.

    Args:
        data: an expression. The input (a floating type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.acos(relay.var("data", shape=(4, 7)))
    """

def acosh(data: Any) -> _relay.Expr:
    """The inverse hyperbolic cosine.

    Args:
        data: an expression. The input (a floating type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.acosh(relay.var("data", shape=(4, 7)))
    """

def add(lhs: Any, rhs: Any) -> _relay.Expr:
    """a + b.

    Args:
        lhs: an expression. The left operand (a floating type or an integer type).
        rhs: an expression. The right operand (a floating type or an integer type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.add(relay.var("lhs", shape=(4, 7)), relay.var("rhs", shape=(4, 7)))
    """

def all(data: Any, axis: Any = ..., keepdims: Any = ..., exclude: Any = ...) -> _relay.Expr:
    """Whether all elements hold.

    Args:
        data: an expression. The input (bool).
        axis: an int or a tuple of ints. The dimensions; empty: all.
        keepdims: a bool. Do they stay, with extent 1?.
        exclude: a bool. All dimensions but those of `axis`?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.all(relay.var("data", shape=(4, 5)))
    """

def any(data: Any, axis: Any = ..., keepdims: Any = ..., exclude: Any = ...) -> _relay.Expr:
    """Whether an element holds.

    Args:
        data: an expression. The input (bool).
        axis: an int or a tuple of ints. The dimensions; empty: all.
        keepdims: a bool. Do they stay, with extent 1?.
        exclude: a bool. All dimensions but those of `axis`?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.any(relay.var("data", shape=(4, 5)))
    """

def arange(start: Any = ..., stop: Any = ..., step: Any = ..., dtype: Any = ...) -> _relay.Expr:
    """start, start + step, ... before stop: [max(0, ceil((stop - start) / step))]. The bounds may be expressions over sizes; fractional steps are a product with the result.

    Args:
        start: a tuple of extents: ints, or expressions over sizes. The first value.
        stop: a tuple of extents: ints, or expressions over sizes. The bound; no element reaches it.
        step: an int. The distance of neighbours; not 0.
        dtype: the name of an element type. The element type of the result.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.arange(stop=7)
    """

def argmax(data: Any, axis: Any = ..., keepdims: Any = ..., exclude: Any = ..., select_last_index: Any = ...) -> _relay.Expr:
    """The place of the greatest element. int32. Of several dimensions, it is the place in row-major order. NaN is found before all numbers.

    Args:
        data: an expression. The input (a floating type or an integer type).
        axis: an int or a tuple of ints. The dimensions; empty: all.
        keepdims: a bool. Do they stay, with extent 1?.
        exclude: a bool. All dimensions but those of `axis`?.
        select_last_index: a bool. The last of equal elements, not the first?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.argmax(relay.var("data", shape=(4, 5)))
    """

def argmin(data: Any, axis: Any = ..., keepdims: Any = ..., exclude: Any = ..., select_last_index: Any = ...) -> _relay.Expr:
    """The place of the smallest element. int32. Of several dimensions, it is the place in row-major order. NaN is found before all numbers.

    Args:
        data: an expression. The input (a floating type or an integer type).
        axis: an int or a tuple of ints. The dimensions; empty: all.
        keepdims: a bool. Do they stay, with extent 1?.
        exclude: a bool. All dimensions but those of `axis`?.
        select_last_index: a bool. The last of equal elements, not the first?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.argmin(relay.var("data", shape=(4, 5)))
    """

def argsort(data: Any, axis: Any = ..., is_ascend: Any = ..., dtype: Any = ...) -> _relay.Expr:
    """The places of the elements in order along one dimension; the shape of `data`. Equal elements stay in order. NaN is greater than all numbers.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        axis: an int. The dimension.
        is_ascend: a bool. The smallest element first?.
        dtype: the name of an element type. The element type of the places.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.argsort(relay.var("data", shape=(2, 4)))
    """

def argwhere(condition: Any, dtype: Any = ...) -> _relay.Expr:
    """The places of the elements that are not zero, in row-major order: [their number, rank of `data`] (NumPy's argwhere, PyTorch's nonzero).

    Args:
        condition: an expression. The input (a floating type, an integer type or bool).
        dtype: the name of an element type. The element type of the places, an integer.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.argwhere(relay.var("condition", shape=(4, 5)))
    """

def as_shape(values: Any) -> _relay.Expr:
    """Sizes from numbers: a bool tensor without elements, of shape [0, values...]. The reverse of shape_of: attributes of other operators that take extents can name those of the result, so shapes may depend on what a graph computes. No value may be negative.

    Args:
        values: an expression. The extents: [their number] (int32 or int64).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.as_shape(relay.var("values", shape=(3,)))
    """

def asin(data: Any) -> _relay.Expr:
    """The arc sine, in radians.

    Args:
        data: an expression. The input (a floating type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.asin(relay.var("data", shape=(4, 7)))
    """

def asinh(data: Any) -> _relay.Expr:
    """The inverse hyperbolic sine.

    Args:
        data: an expression. The input (a floating type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.asinh(relay.var("data", shape=(4, 7)))
    """

def atan(data: Any) -> _relay.Expr:
    """The arc tangent, in radians.

    Args:
        data: an expression. The input (a floating type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.atan(relay.var("data", shape=(4, 7)))
    """

def atan2(lhs: Any, rhs: Any) -> _relay.Expr:
    """The angle of the point (b, a), in radians.

    Args:
        lhs: an expression. The left operand (a floating type).
        rhs: an expression. The right operand (a floating type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.atan2(relay.var("lhs", shape=(4, 7)), relay.var("rhs", shape=(4, 7)))
    """

def atanh(data: Any) -> _relay.Expr:
    """The inverse hyperbolic tangent.

    Args:
        data: an expression. The input (a floating type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.atanh(relay.var("data", shape=(4, 7)))
    """

def bitwise_and(lhs: Any, rhs: Any) -> _relay.Expr:
    """a and b, bit by bit.

    Args:
        lhs: an expression. The left operand (an integer type).
        rhs: an expression. The right operand (an integer type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.bitwise_and(relay.var("lhs", shape=(4, 7)), relay.var("rhs", shape=(4, 7)))
    """

def bitwise_not(data: Any) -> _relay.Expr:
    """All bits inverted.

    Args:
        data: an expression. The input (an integer type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.bitwise_not(relay.var("data", shape=(4, 7)))
    """

def bitwise_or(lhs: Any, rhs: Any) -> _relay.Expr:
    """a or b, bit by bit.

    Args:
        lhs: an expression. The left operand (an integer type).
        rhs: an expression. The right operand (an integer type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.bitwise_or(relay.var("lhs", shape=(4, 7)), relay.var("rhs", shape=(4, 7)))
    """

def bitwise_xor(lhs: Any, rhs: Any) -> _relay.Expr:
    """Either a or b, bit by bit.

    Args:
        lhs: an expression. The left operand (an integer type).
        rhs: an expression. The right operand (an integer type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.bitwise_xor(relay.var("lhs", shape=(4, 7)), relay.var("rhs", shape=(4, 7)))
    """

def blackman_window(size: Any, periodic: Any = ..., dtype: Any = ...) -> _relay.Expr:
    """The window of Blackman, [size]: 0.42 - 0.5 cos(2 pi i / n) + 0.08 cos(4 pi i / n).

    Args:
        size: a tuple of extents: ints, or expressions over sizes. The number of elements.
        periodic: a bool. N = size; else n = size - 1, and the window is symmetric.
        dtype: the name of an element type. The element type of the result.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.blackman_window(size=8)
    """

def broadcast_to(data: Any, shape: Any) -> _relay.Expr:
    """The input, repeated along dimensions of extent 1 and new ones in front.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        shape: a tuple of extents: ints, or expressions over sizes. The shape of the result.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.broadcast_to(relay.var("data", shape=(4, 1, 5)), shape=(2, 4, 3, 5))
    """

def broadcast_to_like(data: Any, broadcast_type: Any) -> _relay.Expr:
    """`data`, broadcast to the shape of the other input, which is not read.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        broadcast_type: an expression. Has the shape of the result (a floating type, an integer type or bool).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.broadcast_to_like(relay.var("data", shape=(3, 1)), relay.var("broadcast_type", shape=(4, 3, 4)))
    """

def call_packed(data: Any = ..., function: Any = ..., dtypes: Any = ..., ranks: Any = ..., extents: Any = ...) -> _relay.Expr:
    """The results of a packed function: it gets the inputs, then memory for its results, all as tensors on the host. It is searched in the modules that the compiled graph imports, then in the registry, and must depend on its inputs only.

    Args:
        data: a list of expressions, or None. The inputs (a floating type, an integer type or bool).
        function: a str. The function's name.
        dtypes: a str. The element type of each result: `float32,int8`.
        ranks: an int or a tuple of ints. The number of dimensions of each result.
        extents: a tuple of extents: ints, or expressions over sizes. The shapes of all results, one after the other.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.call_packed([relay.var("data", shape=(5, 3))], dtypes='float32', extents=(5, 3), function='example.copy', ranks=(2,))
    """

def cast(data: Any, dtype: Any) -> _relay.Expr:
    """The same values in another element type. Floats become integers by truncation; what does not fit is not defined.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        dtype: the name of an element type. The element type of the result.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.cast(relay.var("data", shape=(4, 7)), dtype='float32')
    """

def ceil(data: Any) -> _relay.Expr:
    """The smallest whole number that is not below x.

    Args:
        data: an expression. The input (a floating type or an integer type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.ceil(relay.var("data", shape=(4, 7)))
    """

def clip(a: Any, a_min: Any, a_max: Any) -> _relay.Expr:
    """min(max(x, a_min), a_max).

    Args:
        a: an expression. The input (a floating type or an integer type).
        a_min: a number. The least value.
        a_max: a number. The greatest value.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.clip(relay.var("a", shape=(4, 7)), a_max=1.5, a_min=-0.5)
    """

def compress(condition: Any, data: Any, axis: Any = ...) -> _relay.Expr:
    """The slices of `data` along one dimension for which `condition` holds (NumPy's and ONNX's compress). Without an axis: of all elements, in row-major order. A composition of argwhere and take.

    Args:
        condition: an expression. Which slices, [at most as many as there are] (bool).
        data: an expression. The input (a floating type, an integer type or bool).
        axis: an int or a tuple of ints. The dimension; empty: all elements as one.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.compress(relay.var("condition", shape=(4,), dtype="bool"), relay.var("data", shape=(4, 3)), axis=(0,))
    """

def concatenate(data: Any, axis: Any = ...) -> _relay.Expr:
    """The inputs one behind the other along one dimension.

    Args:
        data: a list of expressions. The inputs (a floating type, an integer type or bool).
        axis: an int. The dimension.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.concatenate([relay.var("data", shape=(4, 3)), relay.var("data", shape=(4, 4)), relay.var("data", shape=(4, 5))], axis=1)
    """

def copy(data: Any) -> _relay.Expr:
    """The same values.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.copy(relay.var("data", shape=(4, 7)))
    """

def cos(data: Any) -> _relay.Expr:
    """The cosine of x radians.

    Args:
        data: an expression. The input (a floating type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.cos(relay.var("data", shape=(4, 7)))
    """

def cosh(data: Any) -> _relay.Expr:
    """The hyperbolic cosine.

    Args:
        data: an expression. The input (a floating type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.cosh(relay.var("data", shape=(4, 7)))
    """

def cummax(data: Any, axis: Any = ..., dtype: Any = ..., exclusive: Any = ..., reverse: Any = ...) -> _relay.Expr:
    """The running maximum along one dimension: element i of the result is made of elements 0 to i of the input. The shape of `data`, or without an axis [the number of elements].

    Args:
        data: an expression. The input (a floating type or an integer type).
        axis: an int or a tuple of ints. The dimension; empty: all elements in row-major order.
        dtype: the name of an element type. The type that is computed in; "": that of `data`.
        exclusive: a bool. Is element i left out? The first one is then neutral.
        reverse: a bool. From the last element to the first?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.cummax(relay.var("data", shape=(4, 5)), axis=1)
    """

def cummin(data: Any, axis: Any = ..., dtype: Any = ..., exclusive: Any = ..., reverse: Any = ...) -> _relay.Expr:
    """The running minimum along one dimension: element i of the result is made of elements 0 to i of the input. The shape of `data`, or without an axis [the number of elements].

    Args:
        data: an expression. The input (a floating type or an integer type).
        axis: an int or a tuple of ints. The dimension; empty: all elements in row-major order.
        dtype: the name of an element type. The type that is computed in; "": that of `data`.
        exclusive: a bool. Is element i left out? The first one is then neutral.
        reverse: a bool. From the last element to the first?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.cummin(relay.var("data", shape=(4, 5)), axis=1)
    """

def cumprod(data: Any, axis: Any = ..., dtype: Any = ..., exclusive: Any = ..., reverse: Any = ...) -> _relay.Expr:
    """The running product along one dimension: element i of the result is made of elements 0 to i of the input. The shape of `data`, or without an axis [the number of elements].

    Args:
        data: an expression. The input (a floating type or an integer type).
        axis: an int or a tuple of ints. The dimension; empty: all elements in row-major order.
        dtype: the name of an element type. The type that is computed in; "": that of `data`.
        exclusive: a bool. Is element i left out? The first one is then neutral.
        reverse: a bool. From the last element to the first?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.cumprod(relay.var("data", shape=(4, 5)), axis=1)
    """

def cumsum(data: Any, axis: Any = ..., dtype: Any = ..., exclusive: Any = ..., reverse: Any = ...) -> _relay.Expr:
    """The running sum along one dimension: element i of the result is made of elements 0 to i of the input. The shape of `data`, or without an axis [the number of elements].

    Args:
        data: an expression. The input (a floating type or an integer type).
        axis: an int or a tuple of ints. The dimension; empty: all elements in row-major order.
        dtype: the name of an element type. The type that is computed in; "": that of `data`.
        exclusive: a bool. Is element i left out? The first one is then neutral.
        reverse: a bool. From the last element to the first?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.cumsum(relay.var("data", shape=(4, 5)), axis=1)
    """

def device_copy(data: Any, src_device: Any, dst_device: Any) -> _relay.Expr:
    """The input, copied from one device to another.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        src_device: a str. Where the input is.
        dst_device: a str. Where the result is.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.device_copy(relay.var("data", shape=(4, 3)), dst_device='cpu', src_device='cpu')
    """

def dft(data: Any, axis: Any = ..., inverse: Any = ..., onesided: Any = ...) -> _relay.Expr:
    """The discrete Fourier transform along one dimension (ONNX): y[k] = sum over t of x[t] e^(-2 pi i k t / n), by its definition: n^2 products. The last dimension has the real and the imaginary part.

    Args:
        data: an expression. [..., 1] for real and [..., 2] for complex numbers (a floating type).
        axis: an int. The dimension of time.
        inverse: a bool. E^(+...), divided by n?.
        onesided: a bool. Only the first floor(n / 2) + 1 elements?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.dft(relay.var("data", shape=(4, 8, 2)))
    """

def divide(lhs: Any, rhs: Any) -> _relay.Expr:
    """a / b; integers are truncated.

    Args:
        lhs: an expression. The left operand (a floating type or an integer type).
        rhs: an expression. The right operand (a floating type or an integer type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.divide(relay.var("lhs", shape=(4, 7)), relay.var("rhs", shape=(4, 7)))
    """

def dot(a: Any, b: Any) -> _relay.Expr:
    """The sum of a[i] b[i]; a tensor of rank 0 [PyTorch's dot].

    Args:
        a: an expression. [n] (a floating type or an integer type).
        b: an expression. [n] (a floating type or an integer type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.dot(relay.var("a", shape=(4,)), relay.var("b", shape=(4,)))
    """

def dynamic_slice(data: Any, begin: Any, sizes: Any) -> _relay.Expr:
    """The part of `data` of extents `sizes` that begins at a place that another tensor says. A part that would go beyond the ends is moved inwards (XLA's rule).

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        begin: an expression. The first place, [rank of `data`] (int32 or int64).
        sizes: a tuple of extents: ints, or expressions over sizes. The extents of the part; -1: all of the dimension.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.dynamic_slice(relay.var("data", shape=(6, 9)), relay.var("begin", shape=(2,), dtype="int64"), sizes=(2, 4))
    """

def einsum(data: Any, equation: Any) -> _relay.Expr:
    """A sum of products, as an equation says [NumPy's einsum]: a letter names a dimension of each operand that has it; letters that the result lacks are summed over. A letter twice in one operand takes the diagonal, and `...` stands for dimensions that are broadcast. Without `->` the result has the letters that occur once, in the alphabet's order. Three and more operands are multiplied from left to right.

    Args:
        data: a list of expressions. The operands, of one type (a floating type or an integer type).
        equation: a str. The equation: `ij,jk->ik`.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.einsum([relay.var("data", shape=(4, 6)), relay.var("data", shape=(6, 5))], equation='ij,jk->ik')
    """

def embedding_bag(weight: Any, indices: Any, offsets: Any, per_sample_weights: Any = ..., mode: Any = ..., include_last_offset: Any = ...) -> _relay.Expr:
    """The sums, means or maxima of bags of rows of `weight` (PyTorch): [bags, d]. Bag j has the rows indices[offsets[j]], ... before indices[offsets[j + 1]]; an empty bag gives 0.

    Args:
        weight: an expression. The rows, [v, d] (a floating type).
        indices: an expression. Numbers of rows, [n]; outside is the nearest row (int32 or int64).
        offsets: an expression. Where the bags begin, [bags] (int32 or int64).
        per_sample_weights: an expression, or None. Factors of the rows, [n]; 1 if left out (a floating type).
        mode: a str. How a bag is put together. One of "mean", "sum", "max".
        include_last_offset: a bool. Does `offsets` end with the end of the last bag: [bags + 1]?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.embedding_bag(relay.var("weight", shape=(7, 4)), relay.var("indices", shape=(9,), dtype="int64"), relay.var("offsets", shape=(3,), dtype="int64"))
    """

def equal(lhs: Any, rhs: Any) -> _relay.Expr:
    """a = b.

    Args:
        lhs: an expression. The left operand (a floating type, an integer type or bool).
        rhs: an expression. The right operand (a floating type, an integer type or bool).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.equal(relay.var("lhs", shape=(4, 7)), relay.var("rhs", shape=(4, 7)))
    """

def erf(data: Any) -> _relay.Expr:
    """The error function.

    Args:
        data: an expression. The input (a floating type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.erf(relay.var("data", shape=(4, 7)))
    """

def exp(data: Any) -> _relay.Expr:
    """e^x.

    Args:
        data: an expression. The input (a floating type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.exp(relay.var("data", shape=(4, 7)))
    """

def exp2(data: Any) -> _relay.Expr:
    """2^x.

    Args:
        data: an expression. The input (a floating type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.exp2(relay.var("data", shape=(4, 7)))
    """

def expand_dims(data: Any, axis: Any, num_newaxis: Any = ...) -> _relay.Expr:
    """The input with new dimensions of extent 1.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        axis: an int. Where.
        num_newaxis: an int. How many.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.expand_dims(relay.var("data", shape=(4, 3)), axis=1)
    """

def expm1(data: Any) -> _relay.Expr:
    """e^x - 1, exact for small x.

    Args:
        data: an expression. The input (a floating type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.expm1(relay.var("data", shape=(4, 7)))
    """

def eye(n: Any, m: Any = ..., k: Any = ..., dtype: Any = ...) -> _relay.Expr:
    """[n, m] with 1 on diagonal k and 0 elsewhere: y[i, j] = (j - i == k).

    Args:
        n: a tuple of extents: ints, or expressions over sizes. The number of rows.
        m: a tuple of extents: ints, or expressions over sizes. The number of columns; -1: as many as rows.
        k: an int. The diagonal; above the main one if positive.
        dtype: the name of an element type. The element type of the result.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.eye(n=4)
    """

def floor(data: Any) -> _relay.Expr:
    """The greatest whole number that is not above x.

    Args:
        data: an expression. The input (a floating type or an integer type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.floor(relay.var("data", shape=(4, 7)))
    """

def floor_divide(lhs: Any, rhs: Any) -> _relay.Expr:
    """floor(a / b).

    Args:
        lhs: an expression. The left operand (a floating type or an integer type).
        rhs: an expression. The right operand (a floating type or an integer type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.floor_divide(relay.var("lhs", shape=(4, 7)), relay.var("rhs", shape=(4, 7)))
    """

def floor_mod(lhs: Any, rhs: Any) -> _relay.Expr:
    """The remainder of the flooring division: it has the sign of b.

    Args:
        lhs: an expression. The left operand (a floating type or an integer type).
        rhs: an expression. The right operand (a floating type or an integer type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.floor_mod(relay.var("lhs", shape=(4, 7)), relay.var("rhs", shape=(4, 7)))
    """

def full(fill_value: Any, shape: Any, dtype: Any = ...) -> _relay.Expr:
    """A tensor of the given shape with one value everywhere.

    Args:
        fill_value: an expression. The value; a tensor of one element, of rank 0 or 1 (a floating type, an integer type or bool).
        shape: a tuple of extents: ints, or expressions over sizes. The shape of the result.
        dtype: the name of an element type. The element type of the result; "": the value's.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.full(relay.var("fill_value", shape=()), shape=(3, 5))
    """

def full_like(data: Any, fill_value: Any) -> _relay.Expr:
    """A tensor of the type and shape of `data` with one value everywhere.

    Args:
        data: an expression. Gives type and shape; its elements are not read (a floating type, an integer type or bool).
        fill_value: an expression. The value; a tensor of one element, of rank 0 or 1 (a floating type, an integer type or bool).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.full_like(relay.var("data", shape=(4, 3)), relay.var("fill_value", shape=()))
    """

def gather(data: Any, axis: Any, indices: Any) -> _relay.Expr:
    """The elements of `data` at the places that `indices` says along one dimension, and at their own place along the others: the shape of `indices`. Negative indices count from the end; beyond the ends is the nearest place.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        indices: an expression. Places; the rank of `data`, and at most as long in other dimensions (int32 or int64).
        axis: an int. The dimension.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.gather(data=relay.var("data", shape=(6, 4)), indices=relay.var("indices", shape=(4, 4), dtype="int64"), axis=0)
    """

def gather_nd(data: Any, indices: Any, batch_dims: Any = ...) -> _relay.Expr:
    """Elements of `data` at places of several dimensions (Relay): for indices [m, y...], y[b..., y..., x...] = data[b..., indices[0, b..., y...], ..., indices[m - 1, b..., y...], x...], with `batch_dims` dimensions b. Negative indices count from the end; beyond the ends is the nearest place.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        indices: an expression. [m, b..., y...]; m is a number (int32 or int64).
        batch_dims: an int. Leading dimensions in common.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.gather_nd(relay.var("data", shape=(4, 5)), relay.var("indices", shape=(2, 4), dtype="int64"))
    """

def get(op_name: Any) -> _relay.Op:
    """The operator of a name, for `relay.Call` and comparisons.

    Raises:
        LatheError: `graph-unknown-op`, with the nearest names.

    Example:
        >>> from lathe import relay
        >>> relay.op.get("nn.relu")
        Op(nn.relu)
    """

def greater(lhs: Any, rhs: Any) -> _relay.Expr:
    """a > b.

    Args:
        lhs: an expression. The left operand (a floating type or an integer type).
        rhs: an expression. The right operand (a floating type or an integer type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.greater(relay.var("lhs", shape=(4, 7)), relay.var("rhs", shape=(4, 7)))
    """

def greater_equal(lhs: Any, rhs: Any) -> _relay.Expr:
    """a >= b.

    Args:
        lhs: an expression. The left operand (a floating type or an integer type).
        rhs: an expression. The right operand (a floating type or an integer type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.greater_equal(relay.var("lhs", shape=(4, 7)), relay.var("rhs", shape=(4, 7)))
    """

def hamming_window(size: Any, periodic: Any = ..., dtype: Any = ...) -> _relay.Expr:
    """The window of Hamming as ONNX has it, [size]: 25/46 - 21/46 cos(2 pi i / n).

    Args:
        size: a tuple of extents: ints, or expressions over sizes. The number of elements.
        periodic: a bool. N = size; else n = size - 1, and the window is symmetric.
        dtype: the name of an element type. The element type of the result.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.hamming_window(size=8)
    """

def hann_window(size: Any, periodic: Any = ..., dtype: Any = ...) -> _relay.Expr:
    """The window of Hann, [size]: 0.5 - 0.5 cos(2 pi i / n).

    Args:
        size: a tuple of extents: ints, or expressions over sizes. The number of elements.
        periodic: a bool. N = size; else n = size - 1, and the window is symmetric.
        dtype: the name of an element type. The element type of the result.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.hann_window(size=8)
    """

def identity(data: Any) -> _relay.Expr:
    """The input itself; nothing is computed.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.identity(relay.var("data", shape=(4, 3)))
    """

def idft(data: Any, axis: Any = ...) -> _relay.Expr:
    """The inverse of dft: x[t] = 1/n sum over k of y[k] e^(2 pi i k t / n). A composition: dft with `inverse`.

    Args:
        data: an expression. [..., 1] for real and [..., 2] for complex numbers (a floating type).
        axis: an int. The dimension of frequencies.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.idft(relay.var("data", shape=(4, 8, 2)))
    """

def index_put(data: Any, values: Any, indices: Any, accumulate: Any = ...) -> _relay.Expr:
    """`data` with `values` at the places that index tensors say, one for each leading dimension (PyTorch): data[indices[0], indices[1], ...] = values. The indices are broadcast together to [i...]; `values` is broadcast to [i..., the last dimensions of `data`]. Negative indices count from the end; places outside are left out; later ones win.

    Args:
        data: an expression. The input (a floating type or an integer type).
        values: an expression. The elements (a floating type or an integer type).
        indices: a list of expressions. Places, a tensor for each leading dimension (int32 or int64).
        accumulate: a bool. Are the values added to what is there?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.index_put(relay.var("data", shape=(4, 5)), relay.var("values", shape=(4,)), [relay.var("indices", shape=(4,), dtype="int64"), relay.var("indices", shape=(4,), dtype="int64")])
    """

def isfinite(data: Any) -> _relay.Expr:
    """Whether x is neither infinite nor NaN.

    Args:
        data: an expression. The input (a floating type or an integer type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.isfinite(relay.var("data", shape=(4, 7)))
    """

def isinf(data: Any) -> _relay.Expr:
    """Whether x is infinite.

    Args:
        data: an expression. The input (a floating type or an integer type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.isinf(relay.var("data", shape=(4, 7)))
    """

def isnan(data: Any) -> _relay.Expr:
    """Whether x is not a number.

    Args:
        data: an expression. The input (a floating type or an integer type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.isnan(relay.var("data", shape=(4, 7)))
    """

def layout_transform(data: Any, src_layout: Any, dst_layout: Any) -> _relay.Expr:
    """The same elements in another layout: dimensions in another order, and split into blocks (NCHW16c has dimensions N, C / 16, H, W and 16 channels).

    Args:
        data: an expression. The input, in `src_layout` (a floating type, an integer type or bool).
        src_layout: a str. The layout of the input.
        dst_layout: a str. The layout of the result.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.layout_transform(relay.var("data", shape=(4, 8, 3, 5)), dst_layout='NCHW4c', src_layout='NCHW')
    """

def left_shift(lhs: Any, rhs: Any) -> _relay.Expr:
    """The bits of a moved up by b places, 0 <= b < the type's bits.

    Args:
        lhs: an expression. The left operand (an integer type).
        rhs: an expression. The right operand (an integer type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.left_shift(relay.var("lhs", shape=(4, 7)), relay.var("rhs", shape=(4, 7)))
    """

def less(lhs: Any, rhs: Any) -> _relay.Expr:
    """a < b.

    Args:
        lhs: an expression. The left operand (a floating type or an integer type).
        rhs: an expression. The right operand (a floating type or an integer type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.less(relay.var("lhs", shape=(4, 7)), relay.var("rhs", shape=(4, 7)))
    """

def less_equal(lhs: Any, rhs: Any) -> _relay.Expr:
    """a <= b.

    Args:
        lhs: an expression. The left operand (a floating type or an integer type).
        rhs: an expression. The right operand (a floating type or an integer type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.less_equal(relay.var("lhs", shape=(4, 7)), relay.var("rhs", shape=(4, 7)))
    """

def list_op_names() -> list[str]:
    """The names of all operators.

    Example:
        >>> from lathe import relay
        >>> "nn.conv2d" in relay.op.list_op_names()
        True
    """

def log(data: Any) -> _relay.Expr:
    """The natural logarithm.

    Args:
        data: an expression. The input (a floating type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.log(relay.var("data", shape=(4, 7)))
    """

def log10(data: Any) -> _relay.Expr:
    """The logarithm to base 10.

    Args:
        data: an expression. The input (a floating type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.log10(relay.var("data", shape=(4, 7)))
    """

def log1p(data: Any) -> _relay.Expr:
    """ln(1 + x), exact for small x.

    Args:
        data: an expression. The input (a floating type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.log1p(relay.var("data", shape=(4, 7)))
    """

def log2(data: Any) -> _relay.Expr:
    """The logarithm to base 2.

    Args:
        data: an expression. The input (a floating type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.log2(relay.var("data", shape=(4, 7)))
    """

def log_sum(data: Any, axis: Any = ..., keepdims: Any = ..., exclude: Any = ...) -> _relay.Expr:
    """ln(sum of x).

    Args:
        data: an expression. The input (a floating type).
        axis: an int or a tuple of ints. The dimensions; empty: all.
        keepdims: a bool. Do they stay, with extent 1?.
        exclude: a bool. All dimensions but those of `axis`?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.log_sum(relay.var("data", shape=(4, 5)))
    """

def logical_and(lhs: Any, rhs: Any) -> _relay.Expr:
    """a and b.

    Args:
        lhs: an expression. The left operand (bool).
        rhs: an expression. The right operand (bool).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.logical_and(relay.var("lhs", shape=(4, 7)), relay.var("rhs", shape=(4, 7)))
    """

def logical_not(data: Any) -> _relay.Expr:
    """not x.

    Args:
        data: an expression. The input (bool).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.logical_not(relay.var("data", shape=(4, 7)))
    """

def logical_or(lhs: Any, rhs: Any) -> _relay.Expr:
    """a or b.

    Args:
        lhs: an expression. The left operand (bool).
        rhs: an expression. The right operand (bool).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.logical_or(relay.var("lhs", shape=(4, 7)), relay.var("rhs", shape=(4, 7)))
    """

def logical_xor(lhs: Any, rhs: Any) -> _relay.Expr:
    """Either a or b, not both.

    Args:
        lhs: an expression. The left operand (bool).
        rhs: an expression. The right operand (bool).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.logical_xor(relay.var("lhs", shape=(4, 7)), relay.var("rhs", shape=(4, 7)))
    """

def logsumexp(data: Any, axis: Any = ..., keepdims: Any = ..., exclude: Any = ...) -> _relay.Expr:
    """ln(sum of e^x), without overflow.

    Args:
        data: an expression. The input (a floating type).
        axis: an int or a tuple of ints. The dimensions; empty: all.
        keepdims: a bool. Do they stay, with extent 1?.
        exclude: a bool. All dimensions but those of `axis`?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.logsumexp(relay.var("data", shape=(4, 5)))
    """

def matmul(tensor_a: Any, tensor_b: Any, out_dtype: Any = ..., transpose_a: Any = ..., transpose_b: Any = ...) -> _relay.Expr:
    """The product of the last two dimensions; the dimensions before them are broadcast, as NumPy has it.

    Args:
        tensor_a: an expression. A [batches..., i, k] (a floating type or an integer type).
        tensor_b: an expression. B [batches..., k, j] (a floating type or an integer type).
        out_dtype: the name of an element type. The type of sums and of the result; "": that of the inputs.
        transpose_a: a bool. Is A [..., k, i]?.
        transpose_b: a bool. Is B [..., j, k]?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.matmul(relay.var("tensor_a", shape=(4, 8)), relay.var("tensor_b", shape=(8, 5)))
    """

def max(data: Any, axis: Any = ..., keepdims: Any = ..., exclude: Any = ...) -> _relay.Expr:
    """The greatest element; NaN if one is NaN.

    Args:
        data: an expression. The input (a floating type or an integer type).
        axis: an int or a tuple of ints. The dimensions; empty: all.
        keepdims: a bool. Do they stay, with extent 1?.
        exclude: a bool. All dimensions but those of `axis`?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.max(relay.var("data", shape=(4, 5)))
    """

def maximum(lhs: Any, rhs: Any) -> _relay.Expr:
    """The greater of the two; NaN if one of them is NaN.

    Args:
        lhs: an expression. The left operand (a floating type or an integer type).
        rhs: an expression. The right operand (a floating type or an integer type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.maximum(relay.var("lhs", shape=(4, 7)), relay.var("rhs", shape=(4, 7)))
    """

def mean(data: Any, axis: Any = ..., keepdims: Any = ..., exclude: Any = ...) -> _relay.Expr:
    """The mean.

    Args:
        data: an expression. The input (a floating type).
        axis: an int or a tuple of ints. The dimensions; empty: all.
        keepdims: a bool. Do they stay, with extent 1?.
        exclude: a bool. All dimensions but those of `axis`?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.mean(relay.var("data", shape=(4, 5)))
    """

def meshgrid(data: Any, indexing: Any = ...) -> _relay.Expr:
    """For inputs of n, m, ... elements as many tensors [n, m, ...]: number k has along dimension k the elements of input k.

    Args:
        data: a list of expressions. The coordinates, of rank 1 or 0 (a floating type, an integer type or bool).
        indexing: a str. "xy": the first two dimensions are exchanged. One of "ij", "xy".

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.meshgrid([relay.var("data", shape=(4,)), relay.var("data", shape=(3,))])
    """

def min(data: Any, axis: Any = ..., keepdims: Any = ..., exclude: Any = ...) -> _relay.Expr:
    """The smallest element; NaN if one is NaN.

    Args:
        data: an expression. The input (a floating type or an integer type).
        axis: an int or a tuple of ints. The dimensions; empty: all.
        keepdims: a bool. Do they stay, with extent 1?.
        exclude: a bool. All dimensions but those of `axis`?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.min(relay.var("data", shape=(4, 5)))
    """

def minimum(lhs: Any, rhs: Any) -> _relay.Expr:
    """The smaller of the two; NaN if one of them is NaN.

    Args:
        lhs: an expression. The left operand (a floating type or an integer type).
        rhs: an expression. The right operand (a floating type or an integer type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.minimum(relay.var("lhs", shape=(4, 7)), relay.var("rhs", shape=(4, 7)))
    """

def mod(lhs: Any, rhs: Any) -> _relay.Expr:
    """The remainder of the truncating division: it has the sign of a.

    Args:
        lhs: an expression. The left operand (a floating type or an integer type).
        rhs: an expression. The right operand (a floating type or an integer type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.mod(relay.var("lhs", shape=(4, 7)), relay.var("rhs", shape=(4, 7)))
    """

def multiply(lhs: Any, rhs: Any) -> _relay.Expr:
    """a * b.

    Args:
        lhs: an expression. The left operand (a floating type or an integer type).
        rhs: an expression. The right operand (a floating type or an integer type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.multiply(relay.var("lhs", shape=(4, 7)), relay.var("rhs", shape=(4, 7)))
    """

def ndarray_size(data: Any, dtype: Any = ...) -> _relay.Expr:
    """The number of elements of `data`: []. Its elements are not read.

    Args:
        data: an expression. The tensor (a floating type, an integer type or bool).
        dtype: the name of an element type. The element type of the result.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.ndarray_size(relay.var("data", shape=(4, 3)))
    """

def negative(data: Any) -> _relay.Expr:
    """-x.

    Args:
        data: an expression. The input (a floating type or an integer type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.negative(relay.var("data", shape=(4, 7)))
    """

def nonzero(data: Any, dtype: Any = ...) -> _relay.Expr:
    """The places of the elements that are not zero: [rank of `data`, their number] (ONNX's NonZero). A composition of argwhere and transpose.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        dtype: the name of an element type. The element type of the places, an integer.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nonzero(relay.var("data", shape=(4, 5)))
    """

def norm_l1(data: Any, axis: Any = ..., keepdims: Any = ..., exclude: Any = ...) -> _relay.Expr:
    """The sum of |x|.

    Args:
        data: an expression. The input (a floating type or an integer type).
        axis: an int or a tuple of ints. The dimensions; empty: all.
        keepdims: a bool. Do they stay, with extent 1?.
        exclude: a bool. All dimensions but those of `axis`?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.norm_l1(relay.var("data", shape=(4, 5)))
    """

def norm_l2(data: Any, axis: Any = ..., keepdims: Any = ..., exclude: Any = ...) -> _relay.Expr:
    """sqrt(sum of x^2).

    Args:
        data: an expression. The input (a floating type).
        axis: an int or a tuple of ints. The dimensions; empty: all.
        keepdims: a bool. Do they stay, with extent 1?.
        exclude: a bool. All dimensions but those of `axis`?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.norm_l2(relay.var("data", shape=(4, 5)))
    """

def not_equal(lhs: Any, rhs: Any) -> _relay.Expr:
    """a != b.

    Args:
        lhs: an expression. The left operand (a floating type, an integer type or bool).
        rhs: an expression. The right operand (a floating type, an integer type or bool).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.not_equal(relay.var("lhs", shape=(4, 7)), relay.var("rhs", shape=(4, 7)))
    """

def on_device(data: Any, device: Any) -> _relay.Expr:
    """The input, computed on a device; and so is what it is computed from, up to other annotations.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        device: a str. A kind, or a kind and a number: `opencl:1`.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.on_device(relay.var("data", shape=(4, 3)), device='cpu')
    """

def one_hot(indices: Any, on_value: Any, off_value: Any, depth: Any, axis: Any = ..., dtype: Any = ...) -> _relay.Expr:
    """`on_value` where the place along a new dimension is the index, else `off_value`: the shape of `indices` with `depth` inserted. Indices outside of [0, depth) are off.

    Args:
        indices: an expression. The places; any shape (an integer type).
        on_value: an expression. [] (a floating type, an integer type or bool).
        off_value: an expression. [] (a floating type, an integer type or bool).
        depth: a tuple of extents: ints, or expressions over sizes. The extent of the new dimension.
        axis: an int. Where the new dimension is.
        dtype: the name of an element type. The element type of the result; "": that of `on_value`.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.one_hot(relay.var("indices", shape=(4, 3)), relay.var("on_value", shape=()), relay.var("off_value", shape=()), depth=6)
    """

def ones(shape: Any, dtype: Any) -> _relay.Expr:
    """A tensor of the given shape with 1 everywhere.

    Args:
        shape: a tuple of extents: ints, or expressions over sizes. The shape of the result.
        dtype: the name of an element type. The element type of the result.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.ones(dtype='float32', shape=(3, 5))
    """

def ones_like(data: Any) -> _relay.Expr:
    """A tensor of the input's type and shape, with 1 everywhere.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.ones_like(relay.var("data", shape=(4, 7)))
    """

def op_pattern(op_name: Any) -> Any:
    """How the operator of a name can be fused (OpPattern).

    Example:
        >>> from lathe import relay
        >>> relay.op.op_pattern("nn.conv2d")
        4
    """

def optimization_barrier(data: Any) -> _relay.Expr:
    """A copy of the input, of the same shape: nothing is fused across it.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.optimization_barrier(relay.var("data", shape=(4, 3)))
    """

def outer(a: Any, b: Any) -> _relay.Expr:
    """y[i, j] = a[i] b[j] [PyTorch's outer].

    Args:
        a: an expression. [n] (a floating type or an integer type).
        b: an expression. [m] (a floating type or an integer type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.outer(relay.var("a", shape=(4,)), relay.var("b", shape=(7,)))
    """

def power(lhs: Any, rhs: Any) -> _relay.Expr:
    """a to the power of b.

    Args:
        lhs: an expression. The left operand (a floating type).
        rhs: an expression. The right operand (a floating type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.power(relay.var("lhs", shape=(4, 7)), relay.var("rhs", shape=(4, 7)))
    """

def prod(data: Any, axis: Any = ..., keepdims: Any = ..., exclude: Any = ...) -> _relay.Expr:
    """The product.

    Args:
        data: an expression. The input (a floating type or an integer type).
        axis: an int or a tuple of ints. The dimensions; empty: all.
        keepdims: a bool. Do they stay, with extent 1?.
        exclude: a bool. All dimensions but those of `axis`?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.prod(relay.var("data", shape=(4, 5)))
    """

def reciprocal(data: Any) -> _relay.Expr:
    """1 / x.

    Args:
        data: an expression. The input (a floating type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.reciprocal(relay.var("data", shape=(4, 7)))
    """

def repeat(data: Any, repeats: Any, axis: Any) -> _relay.Expr:
    """Each element `repeats` times, one after the other, along one dimension, which becomes `repeats` times as long.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        repeats: an int. How often.
        axis: an int. The dimension.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.repeat(relay.var("data", shape=(4, 3)), axis=0, repeats=2)
    """

def reshape(data: Any, newshape: Any, allowzero: Any = ...) -> _relay.Expr:
    """The same elements in row-major order, in another shape. In `newshape`, 0 keeps an extent, -1 is what is left, -2 keeps all further extents, -3 merges two, -4 splits one into the two numbers that follow.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        newshape: a tuple of extents: ints, or expressions over sizes. The shape of the result.
        allowzero: must be False.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.reshape(relay.var("data", shape=(4, 6)), newshape=(-1, 3))
    """

def reshape_like(data: Any, shape_like: Any, lhs_begin: Any = ..., lhs_end: Any = ..., rhs_begin: Any = ..., rhs_end: Any = ...) -> _relay.Expr:
    """The elements of `data` in row-major order, with dimensions [lhs_begin, lhs_end) replaced by dimensions [rhs_begin, rhs_end) of the other input, which is not read.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        shape_like: an expression. Has the new extents (a floating type, an integer type or bool).
        lhs_begin: an int or a tuple of ints. The first dimension that is replaced.
        lhs_end: an int or a tuple of ints. The one after the last; empty: all.
        rhs_begin: an int or a tuple of ints. The first new dimension.
        rhs_end: an int or a tuple of ints. The one after the last; empty: all.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.reshape_like(relay.var("data", shape=(4, 6)), relay.var("shape_like", shape=(4, 2, 3)))
    """

def reverse(data: Any, axis: Any) -> _relay.Expr:
    """The same shape, with the elements in the reverse order along some dimensions.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        axis: an int or a tuple of ints. The dimensions.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.reverse(relay.var("data", shape=(4, 3)), axis=0)
    """

def reverse_sequence(data: Any, seq_lengths: Any, seq_axis: Any = ..., batch_axis: Any = ...) -> _relay.Expr:
    """`data` with the first seq_lengths[b] elements along `seq_axis` in the reverse order, for each place b of `batch_axis`; the others stay where they are.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        seq_lengths: an expression. [extent of `batch_axis`] (int32 or int64).
        seq_axis: an int. The dimension of time.
        batch_axis: an int. The dimension of the sequences.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.reverse_sequence(relay.var("data", shape=(4, 5)), relay.var("seq_lengths", shape=(4,), dtype="int64"))
    """

def right_shift(lhs: Any, rhs: Any) -> _relay.Expr:
    """The bits of a moved down by b places, 0 <= b < the type's bits; the sign is kept.

    Args:
        lhs: an expression. The left operand (an integer type).
        rhs: an expression. The right operand (an integer type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.right_shift(relay.var("lhs", shape=(4, 7)), relay.var("rhs", shape=(4, 7)))
    """

def rint(data: Any) -> _relay.Expr:
    """The nearest whole number; ties go to the even one (ONNX's Round).

    Args:
        data: an expression. The input (a floating type or an integer type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.rint(relay.var("data", shape=(4, 7)))
    """

def roll(data: Any, shift: Any, axis: Any) -> _relay.Expr:
    """The same shape, with the elements moved along some dimensions; what leaves at one end comes in at the other (NumPy): y[i] = x[(i - shift) mod extent].

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        shift: an int or a tuple of ints. How far, for each of `axis`.
        axis: an int or a tuple of ints. The dimensions.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.roll(relay.var("data", shape=(4, 5)), axis=1, shift=2)
    """

def round(data: Any) -> _relay.Expr:
    """The nearest whole number; ties go away from zero.

    Args:
        data: an expression. The input (a floating type or an integer type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.round(relay.var("data", shape=(4, 7)))
    """

def rsqrt(data: Any) -> _relay.Expr:
    """1 / sqrt(x).

    Args:
        data: an expression. The input (a floating type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.rsqrt(relay.var("data", shape=(4, 7)))
    """

def scatter(data: Any, indices: Any, updates: Any, axis: Any = ...) -> _relay.Expr:
    """`data` with elements of `updates` stored along one dimension, at the places that `indices` says. Negative indices count from the end; indices outside are left out. Of several elements at one place, the later ones in row-major order come later.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        indices: an expression. Places along `axis`; at most as long as `data` in other dimensions (int32 or int64).
        updates: an expression. The elements; the shape of `indices` (a floating type, an integer type or bool).
        axis: an int. The dimension.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.scatter(relay.var("data", shape=(6, 4)), relay.var("indices", shape=(4, 4), dtype="int64"), relay.var("updates", shape=(4, 4)))
    """

def scatter_add(data: Any, indices: Any, updates: Any, axis: Any = ...) -> _relay.Expr:
    """`data` with elements of `updates` added along one dimension, at the places that `indices` says. Negative indices count from the end; indices outside are left out. Of several elements at one place, the later ones in row-major order come later.

    Args:
        data: an expression. The input (a floating type or an integer type).
        indices: an expression. Places along `axis`; at most as long as `data` in other dimensions (int32 or int64).
        updates: an expression. The elements; the shape of `indices` (a floating type or an integer type).
        axis: an int. The dimension.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.scatter_add(relay.var("data", shape=(6, 4)), relay.var("indices", shape=(4, 4), dtype="int64"), relay.var("updates", shape=(4, 4)))
    """

def scatter_elements(data: Any, indices: Any, updates: Any, axis: Any = ..., reduction: Any = ...) -> _relay.Expr:
    """`data` with elements of `updates` stored or combined along one dimension, at the places that `indices` says. Negative indices count from the end; indices outside are left out. Of several elements at one place, the later ones in row-major order come later.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        indices: an expression. Places along `axis`; at most as long as `data` in other dimensions (int32 or int64).
        updates: an expression. The elements; the shape of `indices` (a floating type, an integer type or bool).
        axis: an int. The dimension.
        reduction: a str. How an element is combined with what is there; "update": it replaces it. One of "update", "add", "mul", "min", "max".

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.scatter_elements(relay.var("data", shape=(6, 4)), relay.var("indices", shape=(4, 4), dtype="int64"), relay.var("updates", shape=(4, 4)))
    """

def scatter_nd(data: Any, indices: Any, updates: Any, mode: Any = ...) -> _relay.Expr:
    """`data` with `updates` at places of its first m dimensions (Relay): for indices [m, y...], updates[y..., x...] go to data[indices[0, y...], ..., indices[m - 1, y...], x...]. Negative indices count from the end; places outside are left out; later ones win.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        indices: an expression. [m, y...]; m is a number (int32 or int64).
        updates: an expression. [y..., the last dimensions of `data`] (a floating type, an integer type or bool).
        mode: a str. How an element is combined with what is there; "update": it replaces it. One of "update", "add", "mul", "min", "max".

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.scatter_nd(relay.var("data", shape=(4, 5)), relay.var("indices", shape=(2, 4), dtype="int64"), relay.var("updates", shape=(4,)))
    """

def searchsorted(sorted_sequence: Any, values: Any, right: Any = ..., dtype: Any = ...) -> _relay.Expr:
    """Where each value would be inserted into a sorted row: the number of elements below it, or with `right` not above it. The shape of `values`.

    Args:
        sorted_sequence: an expression. [..., m], sorted along the last dimension, or one row [m] (a floating type or an integer type).
        values: an expression. [..., k]: as many rows; any shape if there is one row (a floating type or an integer type).
        right: a bool. After equal elements?.
        dtype: the name of an element type. The element type of the places.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.searchsorted(relay.var("sorted_sequence", shape=(1,)), relay.var("values", shape=(4, 2)))
    """

def sequence_mask(data: Any, valid_length: Any, mask_value: Any = ..., axis: Any = ...) -> _relay.Expr:
    """`data` with `mask_value` at the places of time from valid_length[b] on, for each sequence b. Time and the sequences are the first two dimensions.

    Args:
        data: an expression. [time, batch, ...], or [batch, time, ...] if `axis` is 1 (a floating type or an integer type).
        valid_length: an expression. [batch] (int32 or int64).
        mask_value: a number. What masked elements become.
        axis: an int. The dimension of time.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.sequence_mask(relay.var("data", shape=(5, 4)), relay.var("valid_length", shape=(4,), dtype="int64"))
    """

def shape_of(data: Any, dtype: Any = ...) -> _relay.Expr:
    """The extents of `data`: [rank]. Its elements are not read.

    Args:
        data: an expression. The tensor (a floating type, an integer type or bool).
        dtype: the name of an element type. The element type of the result.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.shape_of(relay.var("data", shape=(4, 3, 5)))
    """

def sigmoid(data: Any) -> _relay.Expr:
    """1 / (1 + e^-x).

    Args:
        data: an expression. The input (a floating type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.sigmoid(relay.var("data", shape=(4, 7)))
    """

def sign(data: Any) -> _relay.Expr:
    """-1, 0 or 1, by the sign of x; NaN gives NaN.

    Args:
        data: an expression. The input (a floating type or an integer type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.sign(relay.var("data", shape=(4, 7)))
    """

def sin(data: Any) -> _relay.Expr:
    """The sine of x radians.

    Args:
        data: an expression. The input (a floating type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.sin(relay.var("data", shape=(4, 7)))
    """

def sinh(data: Any) -> _relay.Expr:
    """The hyperbolic sine.

    Args:
        data: an expression. The input (a floating type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.sinh(relay.var("data", shape=(4, 7)))
    """

def slice_like(data: Any, shape_like: Any, axes: Any = ...) -> _relay.Expr:
    """The first elements of `data` along some dimensions: as many as the other input has there, which is not read.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        shape_like: an expression. Has the extents (a floating type, an integer type or bool).
        axes: an int or a tuple of ints. The dimensions; empty: all.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.slice_like(relay.var("data", shape=(6, 9)), relay.var("shape_like", shape=(4, 4)))
    """

def sort(data: Any, axis: Any = ..., is_ascend: Any = ...) -> _relay.Expr:
    """The elements in order along one dimension; the shape of `data`. NaN is greater than all numbers.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        axis: an int. The dimension.
        is_ascend: a bool. The smallest element first?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.sort(relay.var("data", shape=(2, 4)))
    """

def split(data: Any, indices_or_sections: Any = ..., axis: Any = ..., sizes: Any = ...) -> _relay.TupleWrapper:
    """The input cut into parts along one dimension; a tuple. The parts are equally long, or begin at given places, or have given extents.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        indices_or_sections: an int or a tuple of ints. One number: so many equal parts; several: where the parts after the first begin.
        axis: an int. The dimension.
        sizes: a tuple of extents: ints, or expressions over sizes. Instead: the extents of the parts, of which one may be -1: what is left.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.split(relay.var("data", shape=(4, 6)), axis=1, indices_or_sections=3)
    """

def sqrt(data: Any) -> _relay.Expr:
    """The square root.

    Args:
        data: an expression. The input (a floating type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.sqrt(relay.var("data", shape=(4, 7)))
    """

def square(data: Any) -> _relay.Expr:
    """x * x.

    Args:
        data: an expression. The input (a floating type or an integer type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.square(relay.var("data", shape=(4, 7)))
    """

def squeeze(data: Any, axis: Any = ...) -> _relay.Expr:
    """The input without dimensions of extent 1.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        axis: an int or a tuple of ints. Which; empty: all.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.squeeze(relay.var("data", shape=(1, 4, 1)))
    """

def stack(data: Any, axis: Any = ...) -> _relay.Expr:
    """Tensors of one shape, put together along a new dimension.

    Args:
        data: a list of expressions. The parts (a floating type, an integer type or bool).
        axis: an int. Where the new dimension is.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.stack([relay.var("data", shape=(4, 3)), relay.var("data", shape=(4, 3)), relay.var("data", shape=(4, 3))])
    """

def std(data: Any, axis: Any = ..., keepdims: Any = ..., exclude: Any = ..., unbiased: Any = ...) -> _relay.Expr:
    """The standard deviation: the square root of the variance.

    Args:
        data: an expression. The input (a floating type).
        axis: an int or a tuple of ints. The dimensions; empty: all.
        keepdims: a bool. Do they stay, with extent 1?.
        exclude: a bool. All dimensions but those of `axis`?.
        unbiased: a bool. Is the divisor the number of elements less 1?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.std(relay.var("data", shape=(4, 5)))
    """

def stft(data: Any, n_fft: Any, hop_length: Any = ..., win_length: Any = ..., window: Any = ..., normalized: Any = ..., onesided: Any = ...) -> _relay.Expr:
    """The Fourier transforms of the frames of a real signal (Relay, PyTorch): y[k, m] = sum over t of window[t] x[m hop_length + t] e^(-2 pi i k t / n_fft), as [batch, k, m, 2] with the real and the imaginary part. A window that is shorter than a frame is in its middle.

    Args:
        data: an expression. The signal, [length] or [batch, length] (a floating type).
        window: an expression, or None. [win_length]; ones if it is left out (a floating type).
        n_fft: an int. The length of a frame.
        hop_length: an int. The distance of frames; 0: n_fft / 4.
        win_length: an int. The length of the window; 0: n_fft.
        normalized: a bool. Is the result divided by sqrt(n_fft)?.
        onesided: a bool. Only the first floor(n_fft / 2) + 1 frequencies?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.stft(data=relay.var("data", shape=(4, 20)), window=relay.var("window", shape=(8,)), n_fft=8)
    """

def stop_gradient(data: Any) -> _relay.Expr:
    """The input itself, of the same shape; gradients count it as a constant.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.stop_gradient(relay.var("data", shape=(4, 3)))
    """

def strided_set(data: Any, v: Any, begin: Any, end: Any, strides: Any = ..., slice_mode: Any = ..., axes: Any = ...) -> _relay.Expr:
    """`data` with the elements of `v` at the places of a slice, which is what strided_slice takes with the same attributes.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        v: an expression. The new elements: the slice's shape (a floating type, an integer type or bool).
        begin: a tuple of extents: ints, or expressions over sizes. The first places.
        end: a tuple of extents: ints, or expressions over sizes. The places before which it ends.
        strides: an int or a tuple of ints. The steps; negative ones go backwards.
        slice_mode: a str. "size": `end` has extents, and -1 for all that is left. One of "end", "size".
        axes: an int or a tuple of ints. The dimensions; empty: the first ones.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.strided_set(relay.var("data", shape=(4, 9)), relay.var("v", shape=(4, 4)), axes=(1,), begin=(2,), end=(-3,))
    """

def strided_slice(data: Any, begin: Any, end: Any, strides: Any = ..., axes: Any = ..., slice_mode: Any = ...) -> _relay.Expr:
    """Elements begin, begin + stride, ... before end, along some dimensions, as Python slices. Negative numbers count from the end; what is beyond the ends is cut off.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        begin: a tuple of extents: ints, or expressions over sizes. The first places.
        end: a tuple of extents: ints, or expressions over sizes. The places before which it ends.
        strides: an int or a tuple of ints. The steps; negative ones go backwards.
        axes: an int or a tuple of ints. The dimensions; empty: the first ones.
        slice_mode: a str. "size": `end` has extents, and -1 for all that is left. One of "end", "size".

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.strided_slice(relay.var("data", shape=(4, 9)), begin=(0, 2), end=(4, -1))
    """

def subtract(lhs: Any, rhs: Any) -> _relay.Expr:
    """a - b.

    Args:
        lhs: an expression. The left operand (a floating type or an integer type).
        rhs: an expression. The right operand (a floating type or an integer type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.subtract(relay.var("lhs", shape=(4, 7)), relay.var("rhs", shape=(4, 7)))
    """

def sum(data: Any, axis: Any = ..., keepdims: Any = ..., exclude: Any = ...) -> _relay.Expr:
    """The sum.

    Args:
        data: an expression. The input (a floating type or an integer type).
        axis: an int or a tuple of ints. The dimensions; empty: all.
        keepdims: a bool. Do they stay, with extent 1?.
        exclude: a bool. All dimensions but those of `axis`?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.sum(relay.var("data", shape=(4, 5)))
    """

def sum_square(data: Any, axis: Any = ..., keepdims: Any = ..., exclude: Any = ...) -> _relay.Expr:
    """The sum of x^2.

    Args:
        data: an expression. The input (a floating type or an integer type).
        axis: an int or a tuple of ints. The dimensions; empty: all.
        keepdims: a bool. Do they stay, with extent 1?.
        exclude: a bool. All dimensions but those of `axis`?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.sum_square(relay.var("data", shape=(4, 5)))
    """

def take(data: Any, indices: Any, axis: Any = ..., batch_dims: Any = ..., mode: Any = ...) -> _relay.Expr:
    """Slices of `data` along one dimension, at the places that `indices` says.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        indices: an expression. Places; any shape (int32 or int64).
        axis: an int. The dimension.
        batch_dims: an int. Leading dimensions in common.
        mode: a str. What places outside mean: the nearest place, counted around, or an error of the caller. One of "clip", "wrap", "fast".

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.take(relay.var("data", shape=(9, 3)), relay.var("indices", shape=(4, 2), dtype="int64"))
    """

def tan(data: Any) -> _relay.Expr:
    """The tangent of x radians.

    Args:
        data: an expression. The input (a floating type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.tan(relay.var("data", shape=(4, 7)))
    """

def tanh(data: Any) -> _relay.Expr:
    """The hyperbolic tangent.

    Args:
        data: an expression. The input (a floating type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.tanh(relay.var("data", shape=(4, 7)))
    """

def tile(data: Any, reps: Any) -> _relay.Expr:
    """The whole input reps[d] times along each dimension d. Where `reps` or the shape is shorter, ones stand in front (NumPy).

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        reps: a tuple of extents: ints, or expressions over sizes. How often.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.tile(relay.var("data", shape=(4, 3)), reps=(2, 3))
    """

def topk(data: Any, k: Any = ..., axis: Any = ..., ret_type: Any = ..., is_ascend: Any = ..., dtype: Any = ...) -> _relay.TupleWrapper:
    """The k greatest elements along one dimension in order, or the smallest, and their places: the shape of `data` with k there. Of equal elements, the first ones come first.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        k: a tuple of extents: ints, or expressions over sizes. How many; below 1: all.
        axis: an int. The dimension.
        ret_type: a str. "both": a tuple of elements and places. One of "both", "values", "indices".
        is_ascend: a bool. The smallest element first?.
        dtype: the name of an element type. The element type of the places.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.topk(relay.var("data", shape=(4, 9)), k=3)
    """

def transpose(data: Any, axes: Any = ...) -> _relay.Expr:
    """The dimensions in another order: dimension d of the result is dimension axes[d] of the input.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        axes: an int or a tuple of ints. The order; empty: reversed.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.transpose(relay.var("data", shape=(4, 3, 5)))
    """

def trilu(data: Any, k: Any = ..., upper: Any = ...) -> _relay.Expr:
    """The upper or lower triangle of the last two dimensions; the rest is 0 (ONNX). The triangle includes diagonal k.

    Args:
        data: an expression. [..., rows, columns] (a floating type, an integer type or bool).
        k: an expression, or None. The diagonal, []; above the main one if positive; 0 if left out (int32 or int64).
        upper: a bool. The upper triangle?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.trilu(relay.var("data", shape=(4, 4)))
    """

def trunc(data: Any) -> _relay.Expr:
    """x without its fraction.

    Args:
        data: an expression. The input (a floating type or an integer type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.trunc(relay.var("data", shape=(4, 7)))
    """

def trunc_divide(lhs: Any, rhs: Any) -> _relay.Expr:
    """trunc(a / b).

    Args:
        lhs: an expression. The left operand (a floating type or an integer type).
        rhs: an expression. The right operand (a floating type or an integer type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.trunc_divide(relay.var("lhs", shape=(4, 7)), relay.var("rhs", shape=(4, 7)))
    """

def trunc_mod(lhs: Any, rhs: Any) -> _relay.Expr:
    """The remainder of the truncating division: it has the sign of a.

    Args:
        lhs: an expression. The left operand (a floating type or an integer type).
        rhs: an expression. The right operand (a floating type or an integer type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.trunc_mod(relay.var("lhs", shape=(4, 7)), relay.var("rhs", shape=(4, 7)))
    """

def unbind(data: Any, axis: Any = ...) -> _relay.Expr:
    """The slices of the input along one dimension, without that dimension; a tuple with a field for each place (PyTorch).

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        axis: an int. The dimension; its extent must be a number.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.unbind(relay.var("data", shape=(3, 4)))
    """

def unique(data: Any, is_sorted: Any = ..., return_counts: Any = ..., dtype: Any = ...) -> _relay.TupleWrapper:
    """The different elements of `data`: (the elements [their number], the place of the first one of each, the number of each element of `data` among them [n], and with `return_counts` how often each occurs) (NumPy's and ONNX's unique). NaN is equal to NaN.

    Args:
        data: an expression. [n] (a floating type, an integer type or bool).
        is_sorted: a bool. In ascending order, not in the order of the first ones?.
        return_counts: a bool. Is the last result wanted?.
        dtype: the name of an element type. The element type of the places, an integer.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.unique(relay.var("data", shape=(4,)))
    """

def variance(data: Any, axis: Any = ..., keepdims: Any = ..., exclude: Any = ..., unbiased: Any = ...) -> _relay.Expr:
    """The mean of the squared distances from the mean.

    Args:
        data: an expression. The input (a floating type).
        axis: an int or a tuple of ints. The dimensions; empty: all.
        keepdims: a bool. Do they stay, with extent 1?.
        exclude: a bool. All dimensions but those of `axis`?.
        unbiased: a bool. Is the divisor the number of elements less 1?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.variance(relay.var("data", shape=(4, 5)))
    """

def where(condition: Any, x: Any, y: Any) -> _relay.Expr:
    """x where the condition holds, else y.

    Args:
        condition: an expression. Which of the two (bool).
        x: an expression. Values where the condition holds (a floating type, an integer type or bool).
        y: an expression. Values elsewhere (a floating type, an integer type or bool).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.where(relay.var("condition", shape=(4, 7), dtype="bool"), relay.var("x", shape=(4, 7)), relay.var("y", shape=(4, 7)))
    """

def zeros(shape: Any, dtype: Any) -> _relay.Expr:
    """A tensor of the given shape with 0 everywhere.

    Args:
        shape: a tuple of extents: ints, or expressions over sizes. The shape of the result.
        dtype: the name of an element type. The element type of the result.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.zeros(dtype='float32', shape=(3, 5))
    """

def zeros_like(data: Any) -> _relay.Expr:
    """A tensor of the input's type and shape, with 0 everywhere.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.zeros_like(relay.var("data", shape=(4, 7)))
    """
