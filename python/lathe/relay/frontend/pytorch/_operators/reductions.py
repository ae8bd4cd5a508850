"""Reductions, running sums, statistics."""

import math

from .....error import LatheValueError
from .... import op as _op
from .. import _values as _v
from .._registry import operators
from .elementwise import log_add
from .indexing import slice_of


def _axes(a, rank):
    return _v.axes_of(a.dim, rank)


def _reduced(function, x, axes, keep):
    """A reduction along axes; rank 0 has none."""
    if _v.rank_of(x) == 0:
        return function(_op.reshape(x, newshape=(1,)), axis=[0])
    return function(x, axis=list(axes), keepdims=bool(keep)) if axes else x


def _summed(a, dtype=None):
    dtype = dtype or (None if a.dtype is None else _v.dtype_name(a.dtype))
    if dtype is None and not _v.is_float(a[0]):
        dtype = "int64"
    return _v.expr(a[0], dtype)


def _sum(function):
    def convert(a):
        x = _summed(a)
        dtype = _v.dtype_of(x)
        if dtype == "bool":
            x = _v.cast(x, "int64")
        return _v.cast(_reduced(function, x, _axes(a, _v.rank_of(x)), a.keepdim), dtype)

    return convert


def _without_nan(function):
    def convert(a):
        x = _summed(a)
        if _v.is_float(x):
            x = _op.where(_op.isnan(x), _v.expr(0, _v.dtype_of(x)), x)
        return _reduced(function, x, _axes(a, _v.rank_of(x)), a.keepdim)

    return convert


def _mean(a):
    x = _v.floating(_v.expr(a[0], None if a.dtype is None else _v.dtype_name(a.dtype)))
    return _reduced(_op.mean, x, _axes(a, _v.rank_of(x)), a.keepdim)


def _logical(function):
    def convert(a):
        x = _v.expr(a[0], "bool")
        found = _reduced(function, x, _axes(a, _v.rank_of(x)), a.keepdim)
        return _v.cast(found, "uint8") if _v.dtype_of(a[0]) == "uint8" else found

    return convert


operators({
    "sum": _sum(_op.sum), "prod": _sum(_op.prod), "mean": _mean, "nansum": _without_nan(_op.sum),
    "all": _logical(_op.all), "any": _logical(_op.any),
    "amax": lambda a: _extreme(_op.max, a), "amin": lambda a: _extreme(_op.min, a),
    "aminmax": lambda a: (_extreme(_op.min, a), _extreme(_op.max, a)),
    "argmax": lambda a: _place(_op.argmax, a), "argmin": lambda a: _place(_op.argmin, a),
    "logsumexp special_logsumexp": lambda a: (lambda x: _reduced(
        _op.logsumexp, x, _axes(a, _v.rank_of(x)), a.keepdim))(_v.floating(a[0])),
    "count_nonzero": lambda a: (lambda x: _reduced(
        _op.sum, _v.cast(x, "int64"), _axes(a, _v.rank_of(x)), False))(_v.expr(a[0], "bool")),
    "cumsum": lambda a: _running(_op.cumsum, a), "cumprod": lambda a: _running(_op.cumprod, a),
    "logcumsumexp": lambda a: _log_running(_v.expr(a[0]), a.dim),
    "cummax": lambda a: _running_extreme(_op.cummax, _op.greater_equal, a),
    "cummin": lambda a: _running_extreme(_op.cummin, _op.less_equal, a),
    "nanmean": lambda a: _nanmean(a),
})


def _whole(x):
    """A tensor that can be compared: bool becomes int8."""
    return _v.cast(x, "int8") if _v.dtype_of(x) == "bool" else x


def _extreme(function, a):
    x = _v.expr(a[0])
    found = _reduced(function, _whole(x), _axes(a, _v.rank_of(x)), a.keepdim)
    return _v.cast(found, _v.dtype_of(x))


def _place(function, a):
    x = _whole(_v.expr(a[0]))
    if a.dim is None:
        flat = _op.reshape(x, newshape=(-1,))
        found = _v.cast(function(flat, axis=[0]), "int64")
        shape = [1] * _v.rank_of(x) if a.keepdim else []
        return _op.reshape(found, newshape=shape)
    if _v.rank_of(x) == 0:
        return _v.expr(0, "int64")
    axis = _v.axis_of(a.dim, _v.rank_of(x))
    return _v.cast(function(x, axis=[axis], keepdims=bool(a.keepdim)), "int64")


def _max_min(extreme, place, compare):
    def convert(a):
        if a.has("dim"):
            return _extreme(extreme, a), _place(place, a)
        if _v.is_number(a[0]) and a[1] is not None:
            return compare(a[0], a[1])
        if isinstance(a[0], (list, tuple)):
            return compare(a[0])
        if a[1] is not None:
            function = _op.maximum if extreme is _op.max else _op.minimum
            return function(*_v.together(a[0], a[1]))
        return _extreme(extreme, a)

    return convert


operators({"max prim::max": _max_min(_op.max, _op.argmax, max),
           "min prim::min": _max_min(_op.min, _op.argmin, min)})


# -- Variance and norms.


def _correction(a):
    if a.correction is not None:
        return a.correction
    return 1 if a.unbiased is None or a.unbiased else 0


def _variance(a):
    x = _v.floating(a[0])
    axes = _axes(a, _v.rank_of(x))
    correction = _correction(a)
    if _v.rank_of(x) == 0:
        return _v.expr(math.nan if correction else 0.0, _v.dtype_of(x))
    count = _v.product([_v.shape_of(x)[i] for i in axes])
    if isinstance(count, int) and count <= correction <= 1:
        shape = _op.sum(x, axis=axes, keepdims=bool(a.keepdim))
        return _v.full(_v.shape_of(shape), math.nan, _v.dtype_of(x))
    if correction in (0, 1):
        return _op.variance(x, axis=axes, keepdims=bool(a.keepdim), unbiased=bool(correction))
    found = _op.variance(x, axis=axes, keepdims=bool(a.keepdim))
    dtype = _v.dtype_of(x)
    divisor = _op.maximum(_v.expr(count, dtype) - float(correction), _v.expr(0, dtype))
    return found * (_v.expr(count, dtype) / divisor)


operators({
    "var": _variance, "std": lambda a: _op.sqrt(_variance(a)),
    "var_mean": lambda a: (_variance(a), _mean(a)),
    "std_mean": lambda a: (_op.sqrt(_variance(a)), _mean(a)),
    "norm": lambda a: _norm(a, 2 if a.p is None else a.p),
    "linalg_vector_norm": lambda a: _norm(a, 2 if a.ord is None else a.ord),
    "linalg_norm": lambda a: _linalg_norm(a),
    "frobenius_norm": lambda a: _norm(a, 2),
    "dist": lambda a: _vector_norm(_v.floating(a[0]) - _v.floating(a[1]),
                                   2 if a.p is None else a.p, None, False),
})


def _norm(a, order):
    if isinstance(order, str):
        if order != "fro":
            raise LatheValueError("a norm of this kind is not supported", "pytorch-value",
                                  f"expected: a number or 'fro'\nfound: {order}")
        order = 2
    x = _v.expr(a[0], None if a.dtype is None else _v.dtype_name(a.dtype))
    return _vector_norm(_v.floating(x), _v.known_number(order, "the order of a norm"), a.dim,
                        a.keepdim)


def _linalg_norm(a):
    if a.ord in (1, -1, math.inf, -math.inf) and _v.rank_of(a[0]) > 1 and (
            a.dim is None or isinstance(a.dim, (list, tuple)) and len(a.dim) > 1):
        return _sums_of_rows(_v.floating(a[0]), a)
    if a.ord is not None and a.ord not in ("fro", 2, 2.0) and (
            a.dim is None or isinstance(a.dim, (list, tuple)) and len(a.dim) > 1) and \
            _v.rank_of(a[0]) > 1:
        raise LatheValueError("a norm of matrices of this order is not supported", "pytorch-value",
                              f"found: {a.ord}")
    matrix = _v.rank_of(a[0]) > 1 and (a.dim is None or (
        isinstance(a.dim, (list, tuple)) and len(a.dim) > 1))
    if a.ord in (2, 2.0) and matrix:
        raise LatheValueError("the greatest singular value is not supported", "pytorch-value")
    return _norm(a, 2 if a.ord is None else a.ord)


def _sums_of_rows(x, a):
    """The greatest or smallest sum of the columns (order 1) or rows (infinity) of matrices."""
    rank = _v.rank_of(x)
    first, second = _v.axes_of([-2, -1] if a.dim is None else a.dim, rank)
    along, across = (first, second) if abs(a.ord) == 1 else (second, first)
    sums = _op.sum(_op.abs(x), axis=[along], keepdims=True)
    found = (_op.max if a.ord > 0 else _op.min)(sums, axis=[across], keepdims=True)
    return found if a.keepdim else _op.squeeze(found, axis=[first, second])


def _vector_norm(x, order, axes, keep):
    dtype = _v.dtype_of(x)
    axes = _v.axes_of(axes, _v.rank_of(x))
    size = _op.abs(x)
    if order == math.inf:
        return _reduced(_op.max, size, axes, keep)
    if order == -math.inf:
        return _reduced(_op.min, size, axes, keep)
    if order == 0:
        return _reduced(_op.sum, _v.cast(_v.cast(x, "bool"), dtype), axes, keep)
    if order == 1:
        return _reduced(_op.sum, size, axes, keep)
    if order == 2:
        return _op.sqrt(_reduced(_op.sum, x * x, axes, keep))
    total = _reduced(_op.sum, _op.power(size, _v.expr(float(order), dtype)), axes, keep)
    return _op.power(total, _v.expr(1 / float(order), dtype))


def _nanmean(a):
    x = _v.floating(a[0])
    axes = _axes(a, _v.rank_of(x))
    dtype = _v.dtype_of(x)
    there = _op.logical_not(_op.isnan(x))
    total = _reduced(_op.sum, _op.where(there, x, _v.expr(0, dtype)), axes, a.keepdim)
    return total / _reduced(_op.sum, _v.cast(there, dtype), axes, a.keepdim)


# -- Running reductions.


def _running(function, a):
    x = _summed(a)
    if _v.rank_of(x) == 0:
        return x
    dtype = _v.dtype_of(x)
    # PyTorch adds up numbers of 16 bits in float32.
    x = _v.cast(x, {"bool": "int64", "float16": "float32", "bfloat16": "float32"}.get(dtype, dtype))
    return _v.cast(function(x, axis=[_v.axis_of(a.dim, _v.rank_of(x))]), dtype)


def _log_running(x, axis):
    """The logarithm of the sum of exp of the elements so far. Each round doubles how many elements
    a sum has, so that no sum has to hold both great and small ones.
    """
    if _v.rank_of(x) == 0:
        return x
    axis = _v.axis_of(axis, _v.rank_of(x))
    extent, far = _v.shape_of(x)[axis], 1
    if not isinstance(extent, int):
        raise LatheValueError("logcumsumexp needs a fixed extent", "pytorch-value-needed")
    while far < extent:
        shape = [far if i == axis else n for i, n in enumerate(_v.shape_of(x))]
        before = _op.concatenate([_v.full(shape, -math.inf, _v.dtype_of(x)),
                                  slice_of(x, axis, 0, extent - far, 1)], axis=axis)
        x, far = log_add((x, before), 1.0), far * 2
    return x


def _running_extreme(function, compare, a):
    """The running extreme and its place: the last one that is as great as the extreme so far."""
    x = _v.expr(a[0])
    if _v.rank_of(x) == 0:
        return x, _v.expr(0, "int64")
    axis = _v.axis_of(a.dim, _v.rank_of(x))
    found = function(_whole(x), axis=[axis])
    extent = _v.shape_of(x)[axis]
    place = _op.arange(start=0, stop=extent, dtype="int64")
    place = _op.reshape(place, newshape=[-1] + [1] * (_v.rank_of(x) - axis - 1))
    new = compare(_whole(x), found)
    if _v.is_float(x):
        new = _op.logical_or(new, _op.isnan(x))
    place = _op.where(new, _op.broadcast_to(place, shape=_v.shape_of(x)), _v.expr(-1, "int64"))
    return _v.cast(found, _v.dtype_of(x)), _op.cummax(place, axis=[axis])
