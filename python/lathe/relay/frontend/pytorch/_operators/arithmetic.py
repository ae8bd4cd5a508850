"""Arithmetic, comparisons and logic of two operands; of Python's numbers, too."""

import math
from operator import add, floordiv, mul, sub

from .....error import LatheValueError
from .... import op as _op
from .. import _values as _v
from .._registry import operator, operators


def _scalars(a):
    return all(_v.is_number(a[i]) for i in range(min(len(a), 2)))


def of_numbers(function, left, right):
    """A function of two numbers; of a size and a real number, what the run computes in float32.

    Args:
        function: one of Python's operators, that sizes and expressions have, too.
        left: a number or a size.
        right: a number or a size.

    Returns:
        A number, a size, or an expression.
    """
    if any(map(_v.is_size, (left, right))) and any(isinstance(n, float) for n in (left, right)):
        left, right = _v.expr(left, "float32"), _v.expr(right, "float32")
    return function(left, right)


def numeric(value):
    """A tensor of numbers: bool becomes int64.

    Args:
        value: a tensor or number.
    """
    return _v.expr(value, "int64") if _v.dtype_of(value) == "bool" else _v.expr(value)


def _alpha(a):
    factor = a.alpha
    return 1 if factor is None else factor


@operator("add __iadd__")
def _add(a):
    if _scalars(a):
        return of_numbers(add, a[0], a[1])
    if isinstance(a[0], list) and a._name.startswith(("add_", "__iadd__")):
        a[0].extend(a[1])
        return a[0]
    if isinstance(a[0], (list, str)):
        return a[0] + a[1]
    return _sum_of(a[0], a[1], _alpha(a), _op.add, _op.logical_or)


def _sum_of(left, right, alpha, function, logical):
    x, y = _v.together(left, right)
    dtype = _v.dtype_of(x)
    if dtype == "bool":
        return logical(x, y) if alpha else x
    if not (isinstance(alpha, (int, float)) and alpha == 1):
        y = _op.multiply(y, _v.expr(alpha, dtype))
    return function(x, y)


@operator("sub subtract")
def _subtract(a):
    if _scalars(a):
        return of_numbers(sub, a[0], a[1])
    return _sum_of(a[0], a[1], _alpha(a), _op.subtract, _op.logical_xor)


operators({
    "rsub": lambda a: _sum_of(a[1], a[0], _alpha(a), _op.subtract, _op.logical_xor),
    "mul multiply": lambda a: _multiply(a),
    "true_divide": lambda a: _divide(a[0], a[1], None),
    "div divide": lambda a: _divide(a[0], a[1], a.rounding_mode),
    "floor_divide floordiv __floordiv__": lambda a: _divide(a[0], a[1], "floor"),
    "remainder mod": lambda a: _remainder(a, _op.floor_mod),
    "fmod": lambda a: _remainder(a, _op.trunc_mod),
    "maximum max.other": lambda a: extreme(_op.maximum, *_v.together(a[0], a[1])),
    "minimum min.other": lambda a: extreme(_op.minimum, *_v.together(a[0], a[1])),
    "addcmul": lambda a: _added(a, lambda x, y: x * y),
    "addcdiv": lambda a: _added(a, lambda x, y: x / y),
    "lerp": lambda a: _lerp(a),
})


def _multiply(a):
    if _scalars(a):
        return of_numbers(mul, a[0], a[1])
    if isinstance(a[0], list):
        made = a[0] * a[1]
        if a._name.startswith("mul_"):
            a[0][:] = made
            return a[0]
        return made
    x, y = _v.together(a[0], a[1])
    return _op.logical_and(x, y) if _v.dtype_of(x) == "bool" else _op.multiply(x, y)


def remainder_of_numbers(left, right, function=_op.floor_mod):
    """The remainder of two numbers, of which one may be a size.

    Args:
        left: a number or a size.
        right: a number or a size.
        function: floor_mod, or trunc_mod: the sign is that of `right`, or of `left`.

    Returns:
        A number, a size, or an expression.
    """
    sizes = _v.is_size(left) or _v.is_size(right)
    if sizes and (function is _op.trunc_mod or isinstance(left, float) or isinstance(right, float)):
        return function(*_v.together(_v.expr(left), _v.expr(right)))
    return left % right if function is _op.floor_mod else math.fmod(left, right)


def divide_numbers(left, right, rounding=None):
    """The ratio of two numbers, of which one may be a size.

    Args:
        left: a number or a size.
        right: a number or a size.
        rounding: None, "floor" or "trunc".

    Returns:
        A number, a size, or an expression.
    """
    sizes = _v.is_size(left) or _v.is_size(right)
    if rounding == "floor":
        return of_numbers(floordiv, left, right)
    if sizes and rounding == "trunc":  # n - 5 may be negative
        x, y = _v.together(_v.expr(left), _v.expr(right))
        return _op.trunc(x / y) if _v.is_float(x) else _op.trunc_divide(x, y)
    if sizes:
        return _op.divide(_v.expr(left, "float32"), _v.expr(right, "float32"))
    return left / right if rounding is None else int(left / right)


def _divide(left, right, rounding):
    if _v.is_number(left) and _v.is_number(right):
        return divide_numbers(left, right, rounding)
    if rounding is None:
        return _op.divide(*_v.together(left, right, least="float"))
    x, y = _v.together(left, right)
    if _v.dtype_of(x) == "bool":
        raise LatheValueError("bool is divided with a rounding", "pytorch-value")
    if rounding == "trunc":
        return _op.trunc(x / y) if _v.is_float(x) else _op.trunc_divide(x, y)
    return _floor_of_ratio(x, y) if _v.is_float(x) else _op.floor_divide(x, y)


def _floor_of_ratio(x, y):
    """floor(x / y) as Python and PyTorch have it: of the exact ratio, not of the rounded one."""
    remainder = _op.trunc_mod(x, y)
    zero = _v.expr(0, _v.dtype_of(x))
    ratio = (x - remainder) / y
    differs = _op.logical_and(_op.not_equal(remainder, zero),
                              _op.not_equal(_op.less(y, zero), _op.less(remainder, zero)))
    ratio = _op.where(differs, ratio - 1.0, ratio)
    down = _op.floor(ratio)
    found = _op.where(_op.greater(ratio - down, _v.expr(0.5, _v.dtype_of(x))), down + 1.0, down)
    found = _op.where(_op.equal(ratio, zero), _op.multiply(zero, x / y), found)
    return _op.where(_op.equal(y, zero), x / y, found)


def _remainder(a, function):
    if _scalars(a):
        return remainder_of_numbers(a[0], a[1], function)
    return function(*_v.together(a[0], a[1]))


def extreme(function, x, y):
    if _v.dtype_of(x) == "bool":
        return (_op.logical_or if function is _op.maximum else _op.logical_and)(x, y)
    return function(x, y)


def _added(a, function):
    x, y, z = _v.together(a[0], a[1], a[2])
    value = 1 if a.value is None else a.value
    return x + function(y, z) * _v.expr(value, _v.dtype_of(x))


def _lerp(a):
    x, y, w = _v.together(a[0], a[1], a[2])
    # PyTorch's formula: exact at both ends.
    half = _v.expr(0.5, _v.dtype_of(w))
    return _op.where(_op.less(_op.abs(w), half), x + w * (y - x), y - (y - x) * (1.0 - w))


def power_of_numbers(base, exponent):
    """A power of numbers, of which one may be a size.

    Args:
        base: a number or a size.
        exponent: a number or a size.

    Returns:
        A number, a size, or an expression of float32.
    """
    if _v.is_size(exponent) or _v.is_size(base) and (isinstance(exponent, float) or exponent < 0):
        return _op.power(_v.expr(base, "float32"), _v.expr(exponent, "float32"))
    return _v.product([base] * exponent) if _v.is_size(base) else base ** exponent


@operator("pow")
def _power(a):
    base, exponent = a[0], a[1]
    if _scalars(a):
        return power_of_numbers(base, exponent)
    dtype = _v.promoted(base, exponent)
    if dtype in _v.FLOATS:
        known = exponent if isinstance(exponent, (int, float)) else None
        x = _v.expr(base, dtype)
        if known == 2:
            return x * x
        if known == 0.5:
            return _op.sqrt(x)
        return _op.power(x, _v.expr(exponent, dtype))
    if isinstance(exponent, int) and 0 <= exponent <= 64:
        return _whole_power(numeric(base), exponent, dtype)
    return _power_of_tensors(*(_v.expr(one, dtype) for one in (base, exponent)))


def _whole_power(x, exponent, dtype):
    x = _v.cast(x, dtype if dtype != "bool" else "int64")
    result, square = None, x
    while exponent:
        if exponent & 1:
            result = square if result is None else result * square
        square, exponent = square * square, exponent >> 1
    return _op.ones_like(x) if result is None else result


def _power_of_tensors(x, exponent):
    """Whole numbers to whole powers by squaring; 1 / x^n is 0 but for x = 1 and -1."""
    dtype = _v.dtype_of(x)
    zero, one = _v.expr(0, dtype), _v.expr(1, dtype)
    signed = not dtype.startswith("u")
    bits = int(dtype.lstrip("uint")) - signed
    result, square = one, x
    for bit in range(bits):
        is_set = _op.not_equal(_op.bitwise_and(exponent, _v.expr(1 << bit, dtype)), zero)
        result = result * _op.where(is_set, square, one)
        square = square * square
    if not signed:
        return result
    odd = _op.not_equal(_op.bitwise_and(exponent, one), zero)
    inverse = _op.where(_op.equal(x, one), one, zero)
    inverse = _op.where(_op.equal(x, _v.expr(-1, dtype)),
                        _op.where(odd, _v.expr(-1, dtype), one), inverse)
    return _op.where(_op.less(exponent, zero), inverse, result)


# -- Comparisons and logic.


def _compare(function, python):
    def convert(a):
        if all(_v.is_number(one) or isinstance(one, (str, list, tuple)) or one is None
               for one in (a[0], a[1])):
            return python(a[0], a[1])
        x, y = _v.together(a[0], a[1])
        if _v.dtype_of(x) == "bool" and function not in (_op.equal, _op.not_equal):
            x, y = _v.cast(x, "int8"), _v.cast(y, "int8")
        return function(x, y)

    return convert


operators({
    "eq": _compare(_op.equal, lambda x, y: x == y),
    "ne not_equal": _compare(_op.not_equal, lambda x, y: x != y),
    "lt less": _compare(_op.less, lambda x, y: x < y),
    "gt greater": _compare(_op.greater, lambda x, y: x > y),
    "le less_equal": _compare(_op.less_equal, lambda x, y: x <= y),
    "ge greater_equal": _compare(_op.greater_equal, lambda x, y: x >= y),
    "logical_and": lambda a: _op.logical_and(_v.expr(a[0], "bool"), _v.expr(a[1], "bool")),
    "logical_or": lambda a: _op.logical_or(_v.expr(a[0], "bool"), _v.expr(a[1], "bool")),
    "logical_xor": lambda a: _op.logical_xor(_v.expr(a[0], "bool"), _v.expr(a[1], "bool")),
    "logical_not": lambda a: _op.logical_not(_v.expr(a[0], "bool")),
    "bitwise_and __and__ __iand__": lambda a: _bits(a, _op.bitwise_and, _op.logical_and),
    "bitwise_or __or__ __ior__": lambda a: _bits(a, _op.bitwise_or, _op.logical_or),
    "bitwise_xor __xor__ __ixor__": lambda a: _bits(a, _op.bitwise_xor, _op.logical_xor),
    "bitwise_not": lambda a: _op.logical_not(_v.expr(a[0])) if _v.dtype_of(a[0]) == "bool"
    else _op.bitwise_not(_v.expr(a[0])),
    "bitwise_left_shift __lshift__ __ilshift__": lambda a: _shifted(a, _op.left_shift),
    "bitwise_right_shift __rshift__ __irshift__": lambda a: _shifted(a, _op.right_shift),
    "isclose": lambda a: _close(*_v.together(a[0], a[1]), a.rtol, a.atol, a.equal_nan),
})


def _bits(a, function, logical):
    if all(isinstance(one, bool) for one in (a[0], a[1])):
        return {_op.logical_and: a[0] and a[1], _op.logical_or: a[0] or a[1]}.get(
            logical, a[0] != a[1])
    x, y = _v.together(a[0], a[1])
    return logical(x, y) if _v.dtype_of(x) == "bool" else function(x, y)


def _shifted(a, function):
    """Shifts by too many places, or by negative numbers of them, give what PyTorch gives."""
    x, y = _v.together(a[0], a[1])
    dtype = _v.dtype_of(x)
    bits = int(dtype.lstrip("uint")) - (0 if dtype.startswith("u") else 1)
    last = _v.expr(bits, dtype)
    zero = _v.expr(0, dtype)
    outside = _op.logical_or(_op.less(y, zero), _op.greater_equal(y, last + 1))
    inside = function(x, _op.where(outside, zero, y))
    if function is _op.left_shift:
        return _op.where(outside, zero, inside)
    sign = zero if dtype.startswith("u") else _op.right_shift(x, _v.expr(bits, dtype))
    return _op.where(outside, sign, inside)


def _close(x, y, rtol, atol, equal_nan):
    if not _v.is_float(x):
        dtype = _v.dtype_of(x)
        same = _op.equal(x, y)
        if dtype == "bool":
            return same
        x, y = _v.cast(x, "float64"), _v.cast(y, "float64")
    else:
        same = _op.equal(x, y)
    rtol, atol = 1e-5 if rtol is None else rtol, 1e-8 if atol is None else atol
    near = _op.less_equal(_op.abs(x - y), _op.abs(y) * float(rtol) + float(atol))
    found = _op.logical_or(same, _op.logical_and(near, _op.isfinite(y)))
    found = _op.logical_or(same, _op.logical_and(found, _op.isfinite(x)))
    if equal_nan:
        found = _op.logical_or(found, _op.logical_and(_op.isnan(x), _op.isnan(y)))
    return found
