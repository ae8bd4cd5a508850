"""Functions of elements."""

from .. import relay, tir
from . import _derive
from ._from_relay import of_tensors

_UNARY = ("negative exp erf tanh tan cos cosh sin sinh acos acosh asin asinh atan atanh floor ceil "
          "sign trunc abs isnan isfinite isinf round log log2 log10 sqrt rsqrt sigmoid").split()

_derive.install(globals(), {
    **{f"{name}(x:data)": name for name in _UNARY},
    "identity(x:data)": "copy",
    "fast_exp(x:data)": "exp",
    "fast_tanh(x:data)": "tanh",
    "fast_erf(x:data)": "erf",
    "clip(x:a, a_min, a_max)": "clip",
    "cast(x:data, dtype)": "cast",
})


def reinterpret(x, dtype):
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
    return of_tensors(lambda y: relay.reinterpret(y, dtype), x)


def fixed_point_multiply(x, multiplier, shift):
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
    return of_tensors(lambda y: relay.fixed_point_multiply(y, multiplier, shift), x)


def ceil_log2(x):
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
    x = x if hasattr(x, "dtype") else tir.const(x)
    if "float" in x.dtype:
        return tir.ceil(tir.log2(x))
    # By its highest bit: float64, of 53 bits, does not tell one more than a high power of 2 from that power.
    bits = int(x.dtype.lstrip("uint").partition("x")[0])
    return tir.const(bits, x.dtype) - tir.clz(x - tir.const(1, x.dtype))
