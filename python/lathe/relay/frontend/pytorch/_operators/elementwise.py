"""Functions of one tensor or two, element by element."""

import math

from .....error import LatheValueError
from .... import op as _op
from .. import _values as _v
from .._registry import operator, operators
from .arithmetic import extreme, numeric


def _real(function):
    """An operator of real numbers: whole ones become float32."""
    return lambda a: function(_v.floating(a[0]))


def _same(function):
    """An operator of numbers of any type."""
    return lambda a: function(_v.expr(a[0]))


def _rounding(function):
    return lambda a: function(_v.expr(a[0])) if _v.is_float(a[0]) else _v.expr(a[0])


operators({
    name: _real(getattr(_op, name)) for name in
    "acos acosh asin asinh atan atanh cos cosh erf exp exp2 expm1 log log10 log1p log2 reciprocal "
    "rsqrt sigmoid sin sinh sqrt tan tanh".split()
})
operators({
    "arccos": _real(_op.acos), "arccosh": _real(_op.acosh), "arcsin": _real(_op.asin),
    "arcsinh": _real(_op.asinh), "arctan": _real(_op.atan), "arctanh": _real(_op.atanh),
    "special_erf": _real(_op.erf), "special_exp2": _real(_op.exp2),
    "special_expm1": _real(_op.expm1), "special_expit": _real(_op.sigmoid),
    "special_log1p": _real(_op.log1p),
    "erfc special_erfc": lambda a: _erfc(_v.floating(a[0])),
    "deg2rad": lambda a: _v.floating(a[0]) * (math.pi / 180),
    "rad2deg": lambda a: _v.floating(a[0]) * (180 / math.pi),
    "ceil": _rounding(_op.ceil), "floor": _rounding(_op.floor),
    "trunc fix": _rounding(_op.trunc),
    "abs absolute": lambda a: _v.expr(a[0]) if _v.dtype_of(a[0])[:4] in ("uint", "bool")
    else _op.abs(_v.expr(a[0])),
    "sign sgn": lambda a: _sign(_v.expr(a[0])),
    "square": lambda a: (lambda x: x * x)(numeric(a[0])),
    "positive": _same(_op.copy), "real": _same(_op.copy),
    "isfinite": lambda a: _op.isfinite(numeric(a[0])),
    "isinf": lambda a: _op.isinf(numeric(a[0])),
    "isnan": lambda a: _op.isnan(numeric(a[0])),
    "isposinf": lambda a: _infinite(a[0], 1), "isneginf": lambda a: _infinite(a[0], -1),
    "signbit": lambda a: _signbit(_v.expr(a[0])),
    "frac": lambda a: (lambda x: x - _op.trunc(x))(_v.expr(a[0])),
    "logit special_logit": lambda a: _logit(_v.floating(a[0]), a[1]),
    "sinc special_sinc": lambda a: _sinc(_v.floating(a[0])),
    "xlogy special_xlogy": lambda a: _times_log(a, _op.log),
    "special_xlog1py": lambda a: _times_log(a, _op.log1p),
    "atan2 arctan2": lambda a: _op.atan2(*_v.together(a[0], a[1], least="float")),
    "special_entr": lambda a: _entropy(_v.floating(a[0])),
    "fmax": lambda a: _ignoring_nan(_op.maximum, a),
    "fmin": lambda a: _ignoring_nan(_op.minimum, a),
    "logaddexp": lambda a: log_add(_v.together(a[0], a[1], least="float"), 1.0),
    "logaddexp2": lambda a: log_add(_v.together(a[0], a[1], least="float"), math.log(2.0)),
    "hypot": lambda a: _hypot(*_v.together(a[0], a[1])),
    "copysign": lambda a: _copysign(*_v.together(a[0], a[1], least="float")),
    "heaviside": lambda a: _heaviside(*_v.together(a[0], a[1])),
    "ldexp": lambda a: (lambda x, y: x * _op.exp2(y))(*_v.together(a[0], a[1], least="float")),
    "float_power": lambda a: _op.power(_v.expr(a[0], "float64"), _v.expr(a[1], "float64")),
})


def _sign(x):
    """The sign; 0 of NaN, as PyTorch has it."""
    if _v.dtype_of(x) == "bool":
        return x
    found = _op.sign(x)
    return _op.where(_op.isnan(x), _v.expr(0, _v.dtype_of(x)), found) if _v.is_float(x) else found


def _erfc(x):
    """1 - erf(x); where nothing is left of that, exp(-x^2) times a continued fraction."""
    dtype = _v.dtype_of(x)
    limit = _v.expr(2.0, dtype)
    great = _op.maximum(x, limit)
    tail = great
    for n in range(40 if dtype == "float64" else 12, 0, -1):
        tail = great + (n / 2) / tail
    tail = _op.exp(_op.negative(great * great)) / (tail * math.sqrt(math.pi))
    return _op.where(_op.greater(x, limit), tail, 1.0 - _op.erf(x))


def _infinite(value, sign):
    if not _v.is_float(value):
        return _v.full(_v.shape_of(value), False, "bool")
    value = _v.expr(value)
    return _op.equal(value, _v.expr(sign * math.inf, _v.dtype_of(value)))


def _signbit(x):
    if _v.dtype_of(x)[:4] in ("bool", "uint"):
        return _v.full(_v.shape_of(x), False, "bool")
    zero = _v.expr(0, _v.dtype_of(x))
    below = _op.less(x, zero)
    if not _v.is_float(x):
        return below
    # 1 / -0 is negative.
    one = _v.expr(1, _v.dtype_of(x))
    minus = _op.logical_and(_op.equal(x, zero), _op.less(_op.divide(one, x), zero))
    return _op.logical_or(below, minus)


def _logit(x, eps):
    if eps is not None:
        x = _op.clip(x, a_min=float(eps), a_max=1 - float(eps))
    return _op.log(x / (1.0 - x))


def _sinc(x):
    zero = _v.expr(0, _v.dtype_of(x))
    y = x * math.pi
    return _op.where(_op.equal(x, zero), _op.ones_like(x), _op.sin(y) / y)


def _times_log(a, function):
    x, y = _v.together(a[0], a[1], least="float")
    zero = _v.expr(0, _v.dtype_of(x))
    found = _op.where(_op.equal(x, zero), zero, x * function(y))
    return _op.where(_op.isnan(y), y, found)


def _entropy(x):
    zero = _v.expr(0, _v.dtype_of(x))
    found = _op.where(_op.greater(x, zero), _op.negative(x) * _op.log(x),
                      _v.expr(-math.inf, _v.dtype_of(x)))
    found = _op.where(_op.equal(x, zero), zero, found)
    return _op.where(_op.isnan(x), x, found)


def _ignoring_nan(function, a):
    x, y = _v.together(a[0], a[1])
    if _v.dtype_of(x) == "bool":
        return extreme(function, x, y)
    if not _v.is_float(x):
        return function(x, y)
    return _op.where(_op.isnan(x), y, _op.where(_op.isnan(y), x, function(x, y)))


def log_add(pair, base):
    """The logarithm of the sum of two powers of a number, without great sums in between.

    Args:
        pair: two expressions, the exponents.
        base: the natural logarithm of the number: 1.0 for e.

    Returns:
        log(number ** x + number ** y), to the same base.
    """
    x, y = pair
    top = _op.maximum(x, y)
    low = _op.minimum(x, y)
    found = top + _op.log1p(_op.exp((low - top) * base)) / base
    return _op.where(_op.equal(x, y), x + math.log(2.0) / base, found)


def _hypot(x, y):
    x, y = _op.abs(x), _op.abs(y)
    top, low = _op.maximum(x, y), _op.minimum(x, y)
    zero = _v.expr(0, _v.dtype_of(x))
    ratio = low / top
    found = top * _op.sqrt(ratio * ratio + 1.0)
    if not _v.is_float(x):
        return _op.sqrt(x * x + y * y)
    infinite = _op.logical_or(_op.isinf(x), _op.isinf(y))  # also beside NaN
    return _op.where(infinite, _v.expr(math.inf, _v.dtype_of(x)),
                     _op.where(_op.equal(top, zero), top, found))


def _copysign(x, y):
    size = _op.abs(x)
    return _op.where(_signbit(y), _op.negative(size), size)


def _heaviside(x, y):
    if _v.dtype_of(x) == "bool":
        return _op.logical_or(x, y)
    zero, one = _v.expr(0, _v.dtype_of(x)), _v.expr(1, _v.dtype_of(x))
    return _op.where(_op.equal(x, zero), y, _op.where(_op.greater(x, zero), one, zero))


@operator("neg negative")
def _negative(a):
    return -a[0] if _v.is_number(a[0]) else _op.negative(_v.expr(a[0]))


@operator("round special_round")
def _round(a):
    if _v.is_number(a[0]):
        return round(a[0])
    if not _v.is_float(a[0]):
        return _v.expr(a[0])
    x, places = _v.expr(a[0]), int(a.decimals or 0)
    if not places:
        return _op.rint(x)
    factor = 10.0 ** abs(places)
    return _op.rint(x * factor) / factor if places > 0 else _op.rint(x / factor) * factor


# -- Limits, choices, types.


@operator("clamp clip clamp_min clamp_max")
def _clamp(a):
    low = a.min
    high = a.max
    numbers = [one for one in (low, high) if one is not None]
    x = _v.expr(a[0], _v.promoted(a[0], *numbers))
    dtype = _v.dtype_of(x)
    if low is not None:
        x = extreme(_op.maximum, x, _v.expr(low, dtype))
    return x if high is None else extreme(_op.minimum, x, _v.expr(high, dtype))


@operator("where.self where.ScalarSelf where.ScalarOther where.Scalar")
def _where(a):
    x, y = _v.together(a[1], a[2])
    return _op.where(_v.expr(a[0], "bool"), x, y)


@operator("masked_fill")
def _masked_fill(a):
    x = _v.expr(a[0])
    return _op.where(_v.expr(a[1], "bool"), _v.expr(a[2], _v.dtype_of(x)), x)


@operator("nan_to_num")
def _nan_to_num(a):
    x = _v.expr(a[0])
    if not _v.is_float(x):
        return x
    dtype = _v.dtype_of(x)
    info = _v.torch().finfo(getattr(_v.torch(), dtype))
    high = info.max if a.posinf is None else a.posinf
    low = info.min if a.neginf is None else a.neginf
    found = _op.where(_op.isnan(x), _v.expr(a.nan or 0.0, dtype), x)
    found = _op.where(_op.equal(x, _v.expr(math.inf, dtype)), _v.expr(high, dtype), found)
    return _op.where(_op.equal(x, _v.expr(-math.inf, dtype)), _v.expr(low, dtype), found)


@operator("to type _to_copy _cast_Float _cast_Double _cast_Long _cast_Int")
def _to(a):
    dtype = a.dtype
    if dtype is None and _v.is_tensor(a.other):
        dtype = _v.dtype_of(a.other)
    return _v.expr(a[0]) if dtype is None else _v.expr(a[0], _v.dtype_name(dtype))


operators({
    "type_as": lambda a: _v.expr(a[0], _v.dtype_of(a[1])),
    "bfloat16": lambda a: _v.expr(a[0], "bfloat16"), "half": lambda a: _v.expr(a[0], "float16"),
    "float": lambda a: _v.expr(a[0], "float32"), "double": lambda a: _v.expr(a[0], "float64"),
    "int": lambda a: _v.expr(a[0], "int32"), "long": lambda a: _v.expr(a[0], "int64"),
    "short": lambda a: _v.expr(a[0], "int16"), "char": lambda a: _v.expr(a[0], "int8"),
    "byte": lambda a: _v.expr(a[0], "uint8"), "bool": lambda a: _v.expr(a[0], "bool"),
    "clone contiguous detach alias lift_fresh lift cpu cuda requires_grad_ pin_memory "
    "resolve_conj resolve_neg conj _conj conj_physical detach_copy": lambda a: _v.expr(a[0]),
    "dropout feature_dropout alpha_dropout feature_alpha_dropout": lambda a: _dropout(a),
    "native_dropout": lambda a: (_dropout(a), _op.ones_like(_v.expr(a[0], "bool"))),
})


def _dropout(a):
    if a.train:
        raise LatheValueError("dropout of a model in training is random", "pytorch-training",
                              "help: model.eval() before the model is traced")
    return _v.expr(a[0])
