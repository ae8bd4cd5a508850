"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.relay.expr as _relay
from lathe.relay.call import Op as Op
from lathe.relay import contrib as contrib
from lathe.relay import image as image
from lathe.relay import nn as nn
from lathe.relay import random as random
from lathe.relay import vision as vision

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
    """The greatest element.

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
    """The greater of the two.

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

def min(data: Any, axis: Any = ..., keepdims: Any = ..., exclude: Any = ...) -> _relay.Expr:
    """The smallest element.

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
    """The smaller of the two.

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
