"""Elements stored or added at places that tensors say."""

from .....error import LatheValueError
from .... import op as _op
from .. import _values as _v
from .._registry import operator, operators
from .indexing import diagonal, from_front, index_of
from .shapes import at_least, broadcast_shape

operators({
    "scatter scatter_reduce": lambda a: _scatter(a),
    "scatter_add": lambda a: _scattered(a[0], a.dim, a.index, a.src, "add"),
    "index_add": lambda a: _index_into(a, "add", 1 if a.alpha is None else a.alpha),
    "index_copy": lambda a: _index_into(a, "update", 1),
    "index_fill": lambda a: _index_fill(a),
    "masked_scatter": lambda a: _masked_scatter(a),
})

_REDUCTIONS = {"add": "add", "sum": "add", "multiply": "mul", "prod": "mul", "amin": "min",
               "amax": "max"}


def _scatter(a):
    kind = "update"
    if a.reduce is not None:
        if a.reduce not in _REDUCTIONS:
            return _scatter_mean(a)
        kind = _REDUCTIONS[a.reduce]
    value = a.src if a.src is not None else a.value
    data = a[0]
    if a.include_self is False and kind != "update":
        data = _neutral(_v.expr(a[0]), a.dim, a.index, kind)
    return _scattered(data, a.dim, a.index, value, kind)


def _scattered(data, axis, index, value, kind):
    x, index = _v.expr(data), index_of(index)
    dtype, shape = _v.dtype_of(x), _v.shape_of(x)
    x, index = at_least(x, 1), at_least(index, 1)
    places = _v.shape_of(index)
    if 0 in places:
        return _v.expr(data)
    if dtype == "bool" and kind != "update":
        value = _v.cast(value, "int8") if _v.is_tensor(value) else int(value)
        made = _scattered(_v.cast(_v.expr(data), "int8"), axis, index, value,
                          {"add": "max", "mul": "min"}.get(kind, kind))
        return _v.cast(made, "bool")
    if _v.is_tensor(value) and _v.rank_of(value):
        value = _v.expr(value, dtype)
        if _v.shape_of(value) != places:  # the part that has places
            value = _op.strided_slice(value, begin=[0] * len(places), end=places,
                                      axes=list(range(len(places))))
    else:
        value = _v.full(places, 0, dtype) + _v.expr(value, dtype) if dtype != "bool" else \
            _op.broadcast_to(_v.expr(value, dtype), shape=places)
    made = _op.scatter_elements(x, index, value, axis=_v.axis_of(axis, _v.rank_of(x)),
                                reduction=kind)
    return made if shape else _op.reshape(made, newshape=())


def _neutral(x, axis, index, kind):
    """`x` with the neutral element at the places that are written."""
    dtype = _v.dtype_of(x)
    module = _v.torch()
    if dtype == "bool":
        value = kind in ("mul", "min")
    elif kind in ("min", "max"):
        info = (module.finfo if dtype in _v.FLOATS else module.iinfo)(getattr(module, dtype))
        if dtype in _v.FLOATS:
            value = float("inf") if kind == "min" else float("-inf")
        else:
            value = info.max if kind == "min" else info.min
    else:
        value = 1 if kind == "mul" else 0
    return _scattered(x, axis, index, value, "update")


def _scatter_mean(a):
    x = _v.expr(a[0])
    dtype = _v.dtype_of(x)
    start = x if a.include_self is not False else _neutral(x, a.dim, a.index, "add")
    total = _scattered(start, a.dim, a.index, a.src, "add")
    ones = _op.ones_like(x) if a.include_self is not False else \
        _neutral(_op.ones_like(x), a.dim, a.index, "add")
    count = _scattered(ones, a.dim, a.index, 1, "add")
    count = _op.maximum(count, _v.expr(1, dtype))
    return total / count if dtype in _v.FLOATS else _op.floor_divide(total, count)


def _places_along(a, x, index):
    """Places along one dimension, the same for all places of the others."""
    axis = _v.axis_of(a.dim, _v.rank_of(x))
    shape = [_v.shape_of(index)[0] if i == axis else n for i, n in enumerate(_v.shape_of(x))]
    index = _op.reshape(index, newshape=[-1] + [1] * (_v.rank_of(x) - axis - 1))
    return _op.broadcast_to(index, shape=shape), shape


def _index_into(a, kind, factor):
    x = _v.expr(a[0])
    dtype, rank = _v.dtype_of(x), _v.rank_of(x)
    flat = at_least(x, 1)
    places, shape = _places_along(a, flat, at_least(index_of(a.index), 1))
    value = _v.expr(a.source, dtype)
    if dtype == "bool" and not factor:
        return x
    if factor != 1 and dtype != "bool":
        value = value * _v.expr(factor, dtype)
    value = _op.broadcast_to(at_least(value, 1), shape=shape)
    made = _scattered(flat, a.dim, places, value, kind)
    return made if rank else _op.reshape(made, newshape=())


def _index_fill(a):
    x = _v.expr(a[0])
    flat = at_least(x, 1)
    places, _ = _places_along(a, flat, at_least(index_of(a.index), 1))
    made = _scattered(flat, a.dim, places, a.value, "update")
    return made if _v.rank_of(x) else _op.reshape(made, newshape=())


def _masked_scatter(a):
    x, mask = _v.expr(a[0]), _v.expr(a[1], "bool")
    shape = broadcast_shape([_v.shape_of(x), _v.shape_of(mask)])
    mask = _op.reshape(_op.broadcast_to(mask, shape=shape) if shape else mask, newshape=(-1,))
    source = _op.reshape(_v.expr(a.source, _v.dtype_of(x)), newshape=(-1,))
    place = _op.cumsum(_v.cast(mask, "int64"), axis=[0]) - 1
    picked = _op.reshape(_op.take(source, place, axis=0, mode="clip"), newshape=shape)
    x = _op.broadcast_to(x, shape=shape) if shape else x
    return _op.where(_op.reshape(mask, newshape=shape), picked, x)


@operator("put")
def _put_flat(a):
    x = _v.expr(a[0])
    shape = _v.shape_of(x)
    flat = _op.reshape(x, newshape=(-1,))
    index = _op.reshape(from_front(index_of(a.index), _v.product(shape)), newshape=(-1,))
    value = _op.reshape(_v.expr(a.source, _v.dtype_of(x)), newshape=(-1,))
    made = _scattered(flat, 0, index, value, "add" if a.accumulate else "update")
    return _op.reshape(made, newshape=shape)


@operator("diagonal_scatter")
def _diagonal_scatter(a):
    """A diagonal of `self` becomes `src`: flat places of the diagonal, as `diagonal` finds them."""
    x = _v.expr(a[0])
    shape = _v.shape_of(x)
    places = _op.reshape(_op.arange(start=0, stop=_v.product(shape), dtype="int64"), newshape=shape)
    index = _op.reshape(diagonal(places, a), newshape=(-1,))
    value = _op.reshape(_v.expr(a[1], _v.dtype_of(x)), newshape=(-1,))
    made = _scattered(_op.reshape(x, newshape=(-1,)), 0, index, value, "update")
    return _op.reshape(made, newshape=shape)


@operator("fill_diagonal")
def _fill_diagonal(a):
    x, shape = _v.expr(a[0]), _v.shape_of(a[0])
    if not all(isinstance(n, int) for n in shape):
        raise LatheValueError("fill_diagonal_ needs fixed extents", "pytorch-value-needed")
    there = _v.torch().zeros(shape, dtype=_v.torch().bool).fill_diagonal_(True, wrap=bool(a.wrap))
    return _op.where(_v.expr(there), _v.expr(a[1], _v.dtype_of(x)), x)
