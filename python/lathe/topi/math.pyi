"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.ir as _ir
from lathe.topi.broadcast import left_shift as left_shift
from lathe.topi._from_relay import of_tensors as of_tensors
from lathe import relay as relay
from lathe.topi.broadcast import right_shift as right_shift
from lathe import tir as tir

def abs(x: Any) -> _ir.Tensor:
    """|x|.

    Args:
        x: a tensor. The input.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.abs(x=te.placeholder((4, 7)))
    """

def acos(x: Any) -> _ir.Tensor:
    """The arc cosine, in radians.

    Args:
        x: a tensor. The input.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.acos(x=te.placeholder((4, 7)))
    """

def acosh(x: Any) -> _ir.Tensor:
    """The inverse hyperbolic cosine.

    Args:
        x: a tensor. The input.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.acosh(x=te.placeholder((4, 7)))
    """

def asin(x: Any) -> _ir.Tensor:
    """The arc sine, in radians.

    Args:
        x: a tensor. The input.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.asin(x=te.placeholder((4, 7)))
    """

def asinh(x: Any) -> _ir.Tensor:
    """The inverse hyperbolic sine.

    Args:
        x: a tensor. The input.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.asinh(x=te.placeholder((4, 7)))
    """

def atan(x: Any) -> _ir.Tensor:
    """The arc tangent, in radians.

    Args:
        x: a tensor. The input.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.atan(x=te.placeholder((4, 7)))
    """

def atanh(x: Any) -> _ir.Tensor:
    """The inverse hyperbolic tangent.

    Args:
        x: a tensor. The input.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.atanh(x=te.placeholder((4, 7)))
    """

def cast(x: Any, dtype: Any) -> _ir.Tensor:
    """The same values in another element type. Floats become integers by truncation; what does not fit is not defined.

    Args:
        x: a tensor. The input.
        dtype: the name of an element type. The element type of the result.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.cast(x=te.placeholder((4, 7)), dtype='float32')
    """

def ceil(x: Any) -> _ir.Tensor:
    """The smallest whole number that is not below x.

    Args:
        x: a tensor. The input.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.ceil(x=te.placeholder((4, 7)))
    """

def ceil_log2(x: Any) -> _ir.Tensor:
    """The logarithm of an expression to base 2, rounded up.

    Args:
        x: an expression or a number, above 0.

    Returns:
        An expression of the type of `x`.

    Example:
        >>> from lathe import te, topi
        >>> A = te.placeholder((8,), "int32", name="A")
        >>> B = te.compute((8,), lambda i: topi.math.ceil_log2(A[i]), name="B")
        >>> B.dtype
        'int32'
    """

def clip(x: Any, a_min: Any, a_max: Any) -> _ir.Tensor:
    """min(max(x, a_min), a_max).

    Args:
        x: a tensor. The input.
        a_min: a number. The least value.
        a_max: a number. The greatest value.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.clip(x=te.placeholder((4, 7)), a_min=-0.5, a_max=1.5)
    """

def cos(x: Any) -> _ir.Tensor:
    """The cosine of x radians.

    Args:
        x: a tensor. The input.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.cos(x=te.placeholder((4, 7)))
    """

def cosh(x: Any) -> _ir.Tensor:
    """The hyperbolic cosine.

    Args:
        x: a tensor. The input.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.cosh(x=te.placeholder((4, 7)))
    """

def erf(x: Any) -> _ir.Tensor:
    """The error function.

    Args:
        x: a tensor. The input.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.erf(x=te.placeholder((4, 7)))
    """

def exp(x: Any) -> _ir.Tensor:
    """e^x.

    Args:
        x: a tensor. The input.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(x=te.placeholder((4, 7)))
    """

def fast_erf(x: Any) -> _ir.Tensor:
    """The error function.

    Args:
        x: a tensor. The input.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.fast_erf(x=te.placeholder((4, 7)))
    """

def fast_exp(x: Any) -> _ir.Tensor:
    """e^x.

    Args:
        x: a tensor. The input.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.fast_exp(x=te.placeholder((4, 7)))
    """

def fast_tanh(x: Any) -> _ir.Tensor:
    """The hyperbolic tangent.

    Args:
        x: a tensor. The input.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.fast_tanh(x=te.placeholder((4, 7)))
    """

def fixed_point_multiply(x: Any, multiplier: Any, shift: Any) -> _ir.Tensor:
    """`x` times the number multiplier * 2^(shift - 31), rounded: `relay.fixed_point_multiply`.

    Args:
        x: an int32 tensor.
        multiplier: an int from -2^31 to 2^31 - 1.
        shift: an int from -31 to 31.

    Returns:
        An int32 tensor.

    Example:
        >>> from lathe import te, topi
        >>> topi.fixed_point_multiply(te.placeholder((4,), "int32"), 1 << 30, 1).dtype
        'int32'
    """

def floor(x: Any) -> _ir.Tensor:
    """The greatest whole number that is not above x.

    Args:
        x: a tensor. The input.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.floor(x=te.placeholder((4, 7)))
    """

def identity(x: Any) -> _ir.Tensor:
    """The same values.

    Args:
        x: a tensor. The input.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.identity(x=te.placeholder((4, 7)))
    """

def isfinite(x: Any) -> _ir.Tensor:
    """Whether x is neither infinite nor NaN.

    Args:
        x: a tensor. The input.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.isfinite(x=te.placeholder((4, 7)))
    """

def isinf(x: Any) -> _ir.Tensor:
    """Whether x is infinite.

    Args:
        x: a tensor. The input.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.isinf(x=te.placeholder((4, 7)))
    """

def isnan(x: Any) -> _ir.Tensor:
    """Whether x is not a number.

    Args:
        x: a tensor. The input.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.isnan(x=te.placeholder((4, 7)))
    """

def log(x: Any) -> _ir.Tensor:
    """The natural logarithm.

    Args:
        x: a tensor. The input.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.log(x=te.placeholder((4, 7)))
    """

def log10(x: Any) -> _ir.Tensor:
    """The logarithm to base 10.

    Args:
        x: a tensor. The input.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.log10(x=te.placeholder((4, 7)))
    """

def log2(x: Any) -> _ir.Tensor:
    """The logarithm to base 2.

    Args:
        x: a tensor. The input.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.log2(x=te.placeholder((4, 7)))
    """

def negative(x: Any) -> _ir.Tensor:
    """-x.

    Args:
        x: a tensor. The input.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.negative(x=te.placeholder((4, 7)))
    """

def reinterpret(x: Any, dtype: Any) -> _ir.Tensor:
    """The bits of `x` as elements of another type of the same size.

    Args:
        x: a tensor.
        dtype: the element type.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> topi.reinterpret(te.placeholder((4,)), "int32").dtype
        'int32'
    """

def round(x: Any) -> _ir.Tensor:
    """The nearest whole number; ties go away from zero.

    Args:
        x: a tensor. The input.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.round(x=te.placeholder((4, 7)))
    """

def rsqrt(x: Any) -> _ir.Tensor:
    """1 / sqrt(x).

    Args:
        x: a tensor. The input.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.rsqrt(x=te.placeholder((4, 7)))
    """

def sigmoid(x: Any) -> _ir.Tensor:
    """1 / (1 + e^-x).

    Args:
        x: a tensor. The input.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.sigmoid(x=te.placeholder((4, 7)))
    """

def sign(x: Any) -> _ir.Tensor:
    """-1, 0 or 1, by the sign of x; NaN gives NaN.

    Args:
        x: a tensor. The input.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.sign(x=te.placeholder((4, 7)))
    """

def sin(x: Any) -> _ir.Tensor:
    """The sine of x radians.

    Args:
        x: a tensor. The input.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.sin(x=te.placeholder((4, 7)))
    """

def sinh(x: Any) -> _ir.Tensor:
    """The hyperbolic sine.

    Args:
        x: a tensor. The input.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.sinh(x=te.placeholder((4, 7)))
    """

def sqrt(x: Any) -> _ir.Tensor:
    """The square root.

    Args:
        x: a tensor. The input.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.sqrt(x=te.placeholder((4, 7)))
    """

def tan(x: Any) -> _ir.Tensor:
    """The tangent of x radians.

    Args:
        x: a tensor. The input.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.tan(x=te.placeholder((4, 7)))
    """

def tanh(x: Any) -> _ir.Tensor:
    """The hyperbolic tangent.

    Args:
        x: a tensor. The input.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.tanh(x=te.placeholder((4, 7)))
    """

def trunc(x: Any) -> _ir.Tensor:
    """x without its fraction.

    Args:
        x: a tensor. The input.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.trunc(x=te.placeholder((4, 7)))
    """
