"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError

def abs(x: Any) -> Any:
    """abs(x), elementwise; of the type of x."""

def acos(x: Any) -> Any:
    """acos(x), elementwise; of the type of x."""

def acosh(x: Any) -> Any:
    """acosh(x), elementwise; of the type of x."""

def add(a: Any, b: Any) -> Any:
    """a + b."""

def all(*args: Any, axis: Any = ..., where: Any = ..., init: Any = ...) -> Any:
    """Do all conditions hold? With `axis`: the reduction of one condition over it."""

def any(*args: Any, axis: Any = ..., where: Any = ..., init: Any = ...) -> Any:
    """Does any condition hold? With `axis`: the reduction of one condition over it."""

def asin(x: Any) -> Any:
    """asin(x), elementwise; of the type of x."""

def asinh(x: Any) -> Any:
    """asinh(x), elementwise; of the type of x."""

def atan(x: Any) -> Any:
    """atan(x), elementwise; of the type of x."""

def atan2(a: Any, b: Any) -> Any:
    """The angle of the point (b, a), in radians."""

def atanh(x: Any) -> Any:
    """atanh(x), elementwise; of the type of x."""

def bitwise_and(a: Any, b: Any) -> Any:
    """a & b."""

def bitwise_not(x: Any) -> Any:
    """bitwise_not(x), elementwise; of the type of x."""

def bitwise_or(a: Any, b: Any) -> Any:
    """a | b."""

def bitwise_xor(a: Any, b: Any) -> Any:
    """a ^ b."""

def call_extern(dtype: Any, name: Any, *args: Any) -> Any:
    """A call of a C function of that name, linked with the code."""

def call_intrin(dtype: Any, name: Any, *args: Any, **attrs: Any) -> Any:
    """A call of a registered intrinsic.

    Args:
        dtype: the type of its result.
        name: such as "exp"; `lathe.tir.intrinsics()` lists all.
        args: expressions, buffers.
    """

def call_packed(*args: Any) -> Any:
    """A call of a packed function of the registry from compiled code: name, then arguments.

    Buffers arrive as tensors, expressions as numbers, strings as strings. The function is looked up
    at the first call. What it raises ends the compiled function with that error.
    """

def call_pure_extern(dtype: Any, name: Any, *args: Any) -> Any:
    """As call_extern, of a function whose result depends on its arguments alone."""

def ceil(x: Any) -> Any:
    """ceil(x), elementwise; of the type of x."""

def ceildiv(a: Any, b: Any) -> Any:
    """a / b rounded up; b > 0."""

def clz(x: Any) -> Any:
    """clz(x), elementwise; of the type of x."""

def const(value: Any, dtype: Any = ...) -> Any:
    """A constant.

    Args:
        value: int, float or bool.
        dtype: its type; int32 (int64 where it does not fit), float32 or bool by default.
    """

def convert(value: Any) -> Any:
    """A Python number, string or sequence as expression(s)."""

def copysign(a: Any, b: Any) -> Any:
    """The magnitude of a with the sign of b."""

def cos(x: Any) -> Any:
    """cos(x), elementwise; of the type of x."""

def cosh(x: Any) -> Any:
    """cosh(x), elementwise; of the type of x."""

def div(a: Any, b: Any) -> Any:
    """a / b: of floats the quotient, of integers rounded toward zero."""

def erf(x: Any) -> Any:
    """erf(x), elementwise; of the type of x."""

def exp(x: Any) -> Any:
    """exp(x), elementwise; of the type of x."""

def exp10(x: Any) -> Any:
    """exp10(x), elementwise; of the type of x."""

def exp2(x: Any) -> Any:
    """exp2(x), elementwise; of the type of x."""

def expm1(x: Any) -> Any:
    """expm1(x), elementwise; of the type of x."""

def floor(x: Any) -> Any:
    """floor(x), elementwise; of the type of x."""

def floordiv(a: Any, b: Any) -> Any:
    """a / b rounded down."""

def floormod(a: Any, b: Any) -> Any:
    """a - floordiv(a, b) * b: of the sign of b."""

def fma(a: Any, b: Any, c: Any) -> Any:
    """a * b + c, rounded once."""

def fmod(a: Any, b: Any) -> Any:
    """The remainder of a / b with the sign of a; floats."""

def hypot(a: Any, b: Any) -> Any:
    """sqrt(a * a + b * b) without overflow."""

def if_then_else(cond: Any, t: Any, f: Any, span: Any = ...) -> Any:
    """`t` where `cond` holds, else `f`; only the one that is taken is evaluated.

    Example:
        >>> from lathe import te
        >>> i = te.var("i")
        >>> te.if_then_else(i < 8, 1.0, 0.0).dtype
        'float32'
    """

def indexdiv(a: Any, b: Any) -> Any:
    """Division of indices: rounds down."""

def indexmod(a: Any, b: Any) -> Any:
    """Remainder of indices: of the sign of b."""

def intrinsic_doc(name: Any) -> Any:
    """Signature and meaning of an intrinsic, as text."""

def intrinsics() -> Any:
    """The names of all intrinsics."""

def isfinite(x: Any) -> Any:
    """isfinite(x), elementwise; of the type of x."""

def isinf(x: Any) -> Any:
    """isinf(x), elementwise; of the type of x."""

def isnan(x: Any) -> Any:
    """isnan(x), elementwise; of the type of x."""

def ldexp(a: Any, b: Any) -> Any:
    """a * 2 ** b."""

def likely(x: Any) -> Any:
    """The condition itself, marked as usually true."""

def load_vector(buffer: Any, indices: Any, dtype: Any = ...) -> Any:
    """Buffer.vload."""

def log(x: Any) -> Any:
    """log(x), elementwise; of the type of x."""

def log10(x: Any) -> Any:
    """log10(x), elementwise; of the type of x."""

def log1p(x: Any) -> Any:
    """log1p(x), elementwise; of the type of x."""

def log2(x: Any) -> Any:
    """log2(x), elementwise; of the type of x."""

def logical_not(x: Any) -> Any:
    """The negation of a condition."""

def max(a: Any, b: Any) -> Any:
    """The greater of two values."""

def min(a: Any, b: Any) -> Any:
    """The lesser of two values."""

def multiply(a: Any, b: Any) -> Any:
    """a * b."""

def nearbyint(x: Any) -> Any:
    """nearbyint(x), elementwise; of the type of x."""

def nextafter(a: Any, b: Any) -> Any:
    """The next float after a in the direction of b."""

def popcount(x: Any) -> Any:
    """popcount(x), elementwise; of the type of x."""

def pow(a: Any, b: Any) -> Any:
    """a to the power of b."""

def power(a: Any, b: Any) -> Any:
    """a to the power of b."""

def q_multiply_shift(x: Any, y: Any, q: Any, s: Any) -> Any:
    """floor(x * y / 2 ** (q + s) + 1/2) of int32 fixed-point numbers."""

def reinterpret(dtype: Any, value: Any) -> Any:
    """The bits of a value as another type of the same size."""

def round(x: Any) -> Any:
    """round(x), elementwise; of the type of x."""

def rsqrt(x: Any) -> Any:
    """rsqrt(x), elementwise; of the type of x."""

def select(condition: Any, true_value: Any, false_value: Any) -> Any:
    """As if_then_else, but both values are evaluated: for vectors."""

def shift_left(a: Any, b: Any) -> Any:
    """a << b."""

def shift_right(a: Any, b: Any) -> Any:
    """a >> b."""

def sigmoid(x: Any) -> Any:
    """sigmoid(x), elementwise; of the type of x."""

def sin(x: Any) -> Any:
    """sin(x), elementwise; of the type of x."""

def sinh(x: Any) -> Any:
    """sinh(x), elementwise; of the type of x."""

def sqrt(x: Any) -> Any:
    """sqrt(x), elementwise; of the type of x."""

def store_vector(buffer: Any, indices: Any, value: Any) -> Any:
    """Buffer.vstore."""

def subtract(a: Any, b: Any) -> Any:
    """a - b."""

def tan(x: Any) -> Any:
    """tan(x), elementwise; of the type of x."""

def tanh(x: Any) -> Any:
    """tanh(x), elementwise; of the type of x."""

def trunc(x: Any) -> Any:
    """trunc(x), elementwise; of the type of x."""

def truncdiv(a: Any, b: Any) -> Any:
    """a / b rounded toward zero, as C does."""

def truncmod(a: Any, b: Any) -> Any:
    """The remainder of truncdiv: of the sign of a."""
