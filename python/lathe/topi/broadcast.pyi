"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe import tir as tir

def add(lhs: Any, rhs: Any) -> Any:
    """a + b.

    Args:
        lhs: a tensor. The left operand.
        rhs: a tensor. The right operand.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.add(lhs=te.placeholder((4, 7)), rhs=te.placeholder((4, 7)))
    """

def bitwise_and(lhs: Any, rhs: Any) -> Any:
    """a and b, bit by bit.

    Args:
        lhs: a tensor. The left operand.
        rhs: a tensor. The right operand.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.bitwise_and(lhs=te.placeholder((4, 7), "int32"), rhs=te.placeholder((4, 7), "int32"))
    """

def bitwise_not(data: Any) -> Any:
    """All bits inverted.

    Args:
        data: a tensor. The input.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.bitwise_not(data=te.placeholder((4, 7), "int32"))
    """

def bitwise_or(lhs: Any, rhs: Any) -> Any:
    """a or b, bit by bit.

    Args:
        lhs: a tensor. The left operand.
        rhs: a tensor. The right operand.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.bitwise_or(lhs=te.placeholder((4, 7), "int32"), rhs=te.placeholder((4, 7), "int32"))
    """

def bitwise_xor(lhs: Any, rhs: Any) -> Any:
    """Either a or b, bit by bit.

    Args:
        lhs: a tensor. The left operand.
        rhs: a tensor. The right operand.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.bitwise_xor(lhs=te.placeholder((4, 7), "int32"), rhs=te.placeholder((4, 7), "int32"))
    """

def broadcast_add(lhs: Any, rhs: Any) -> Any:
    """a + b.

    Args:
        lhs: a tensor. The left operand.
        rhs: a tensor. The right operand.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.add(lhs=te.placeholder((4, 7)), rhs=te.placeholder((4, 7)))
    """

def broadcast_div(lhs: Any, rhs: Any) -> Any:
    """a / b; integers are truncated.

    Args:
        lhs: a tensor. The left operand.
        rhs: a tensor. The right operand.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.divide(lhs=te.placeholder((4, 7)), rhs=te.placeholder((4, 7)))
    """

def broadcast_mul(lhs: Any, rhs: Any) -> Any:
    """a * b.

    Args:
        lhs: a tensor. The left operand.
        rhs: a tensor. The right operand.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.multiply(lhs=te.placeholder((4, 7)), rhs=te.placeholder((4, 7)))
    """

def broadcast_sub(lhs: Any, rhs: Any) -> Any:
    """a - b.

    Args:
        lhs: a tensor. The left operand.
        rhs: a tensor. The right operand.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.subtract(lhs=te.placeholder((4, 7)), rhs=te.placeholder((4, 7)))
    """

def broadcast_to(data: Any, shape: Any) -> Any:
    """The input, repeated along dimensions of extent 1 and new ones in front.

    Args:
        data: a tensor. The input.
        shape: a tuple of extents: ints, or expressions over sizes. The shape of the result.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.broadcast_to(data=te.placeholder((4, 1, 5)), shape=(2, 4, 3, 5))
    """

def divide(lhs: Any, rhs: Any) -> Any:
    """a / b; integers are truncated.

    Args:
        lhs: a tensor. The left operand.
        rhs: a tensor. The right operand.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.divide(lhs=te.placeholder((4, 7)), rhs=te.placeholder((4, 7)))
    """

def equal(lhs: Any, rhs: Any) -> Any:
    """a = b.

    Args:
        lhs: a tensor. The left operand.
        rhs: a tensor. The right operand.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.equal(lhs=te.placeholder((4, 7)), rhs=te.placeholder((4, 7)))
    """

def floor_divide(lhs: Any, rhs: Any) -> Any:
    """floor(a / b).

    Args:
        lhs: a tensor. The left operand.
        rhs: a tensor. The right operand.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.floor_divide(lhs=te.placeholder((4, 7)), rhs=te.placeholder((4, 7)))
    """

def floor_mod(lhs: Any, rhs: Any) -> Any:
    """The remainder of the flooring division: it has the sign of b.

    Args:
        lhs: a tensor. The left operand.
        rhs: a tensor. The right operand.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.floor_mod(lhs=te.placeholder((4, 7)), rhs=te.placeholder((4, 7)))
    """

def greater(lhs: Any, rhs: Any) -> Any:
    """a > b.

    Args:
        lhs: a tensor. The left operand.
        rhs: a tensor. The right operand.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.greater(lhs=te.placeholder((4, 7)), rhs=te.placeholder((4, 7)))
    """

def greater_equal(lhs: Any, rhs: Any) -> Any:
    """a >= b.

    Args:
        lhs: a tensor. The left operand.
        rhs: a tensor. The right operand.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.greater_equal(lhs=te.placeholder((4, 7)), rhs=te.placeholder((4, 7)))
    """

def left_shift(lhs: Any, rhs: Any) -> Any:
    """The bits of a moved up by b places, 0 <= b < the type's bits.

    Args:
        lhs: a tensor. The left operand.
        rhs: a tensor. The right operand.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.left_shift(lhs=te.placeholder((4, 7), "int32"), rhs=te.placeholder((4, 7), "int32"))
    """

def less(lhs: Any, rhs: Any) -> Any:
    """a < b.

    Args:
        lhs: a tensor. The left operand.
        rhs: a tensor. The right operand.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.less(lhs=te.placeholder((4, 7)), rhs=te.placeholder((4, 7)))
    """

def less_equal(lhs: Any, rhs: Any) -> Any:
    """a <= b.

    Args:
        lhs: a tensor. The left operand.
        rhs: a tensor. The right operand.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.less_equal(lhs=te.placeholder((4, 7)), rhs=te.placeholder((4, 7)))
    """

def logical_and(lhs: Any, rhs: Any) -> Any:
    """a and b.

    Args:
        lhs: a tensor. The left operand.
        rhs: a tensor. The right operand.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.logical_and(lhs=te.placeholder((4, 7), "bool"), rhs=te.placeholder((4, 7), "bool"))
    """

def logical_not(data: Any) -> Any:
    """not x.

    Args:
        data: a tensor. The input.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.logical_not(data=te.placeholder((4, 7), "bool"))
    """

def logical_or(lhs: Any, rhs: Any) -> Any:
    """a or b.

    Args:
        lhs: a tensor. The left operand.
        rhs: a tensor. The right operand.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.logical_or(lhs=te.placeholder((4, 7), "bool"), rhs=te.placeholder((4, 7), "bool"))
    """

def logical_xor(lhs: Any, rhs: Any) -> Any:
    """Either a or b, not both.

    Args:
        lhs: a tensor. The left operand.
        rhs: a tensor. The right operand.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.logical_xor(lhs=te.placeholder((4, 7), "bool"), rhs=te.placeholder((4, 7), "bool"))
    """

def maximum(lhs: Any, rhs: Any) -> Any:
    """The greater of the two; NaN if one of them is NaN.

    Args:
        lhs: a tensor. The left operand.
        rhs: a tensor. The right operand.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.maximum(lhs=te.placeholder((4, 7)), rhs=te.placeholder((4, 7)))
    """

def minimum(lhs: Any, rhs: Any) -> Any:
    """The smaller of the two; NaN if one of them is NaN.

    Args:
        lhs: a tensor. The left operand.
        rhs: a tensor. The right operand.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.minimum(lhs=te.placeholder((4, 7)), rhs=te.placeholder((4, 7)))
    """

def mod(lhs: Any, rhs: Any) -> Any:
    """The remainder of the truncating division: it has the sign of a.

    Args:
        lhs: a tensor. The left operand.
        rhs: a tensor. The right operand.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.mod(lhs=te.placeholder((4, 7)), rhs=te.placeholder((4, 7)))
    """

def multiply(lhs: Any, rhs: Any) -> Any:
    """a * b.

    Args:
        lhs: a tensor. The left operand.
        rhs: a tensor. The right operand.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.multiply(lhs=te.placeholder((4, 7)), rhs=te.placeholder((4, 7)))
    """

def not_equal(lhs: Any, rhs: Any) -> Any:
    """a != b.

    Args:
        lhs: a tensor. The left operand.
        rhs: a tensor. The right operand.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.not_equal(lhs=te.placeholder((4, 7)), rhs=te.placeholder((4, 7)))
    """

def power(lhs: Any, rhs: Any) -> Any:
    """a to the power of b.

    Args:
        lhs: a tensor. The left operand.
        rhs: a tensor. The right operand.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.power(lhs=te.placeholder((4, 7)), rhs=te.placeholder((4, 7)))
    """

def right_shift(lhs: Any, rhs: Any) -> Any:
    """The bits of a moved down by b places, 0 <= b < the type's bits; the sign is kept.

    Args:
        lhs: a tensor. The left operand.
        rhs: a tensor. The right operand.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.right_shift(lhs=te.placeholder((4, 7), "int32"), rhs=te.placeholder((4, 7), "int32"))
    """

def subtract(lhs: Any, rhs: Any) -> Any:
    """a - b.

    Args:
        lhs: a tensor. The left operand.
        rhs: a tensor. The right operand.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.subtract(lhs=te.placeholder((4, 7)), rhs=te.placeholder((4, 7)))
    """
