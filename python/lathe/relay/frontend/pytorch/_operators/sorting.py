"""Sorting, searching, medians."""

from .... import op as _op
from .. import _values as _v
from .._registry import operator, operators
from .indexing import select, slice_of
from .shapes import at_least

operators({
    "sort": lambda a: _sort(a), "argsort": lambda a: _sort(a)[1], "msort": lambda a: _op.sort(
        _v.expr(a[0]), axis=0) if _v.rank_of(a[0]) else _v.expr(a[0]),
    "topk": lambda a: _topk(a), "kthvalue": lambda a: _kth(a), "median": lambda a: _median(a),
    "searchsorted": lambda a: _searchsorted(_v.expr(a[0]), a[1], a),
    "bucketize": lambda a: _searchsorted(_v.expr(a[1]), a[0], a),
})


def _sort(a):
    x = _v.expr(a[0])
    if _v.rank_of(x) == 0:
        return x, _v.expr(0, "int64")
    axis = _v.axis_of(-1 if a.dim is None else a.dim, _v.rank_of(x))
    places = _op.argsort(x, axis=axis, is_ascend=not a.descending, dtype="int64")
    return _op.gather(x, axis, places), places


def _topk(a):
    x = _v.expr(a[0])
    if _v.rank_of(x) == 0:
        return x, _v.expr(0, "int64")
    axis = _v.axis_of(-1 if a.dim is None else a.dim, _v.rank_of(x))
    k = a.k if _v.is_size(a.k) else int(_v.known_number(a.k, "k"))
    if k == 0:
        shape = [0 if i == axis else n for i, n in enumerate(_v.shape_of(x))]
        return _op.zeros(shape=shape, dtype=_v.dtype_of(x)), _op.zeros(shape=shape, dtype="int64")
    return tuple(_op.topk(x, k=k, axis=axis, is_ascend=a.largest is False, dtype="int64"))


def _kth(a):
    x = _v.expr(a[0])
    if _v.rank_of(x) == 0:
        return x, _v.expr(0, "int64")
    axis = _v.axis_of(-1 if a.dim is None else a.dim, _v.rank_of(x))
    values, places = _op.topk(x, k=int(a.k), axis=axis, is_ascend=True, dtype="int64")
    last = [slice_of(one, axis, int(a.k) - 1, int(a.k), 1) for one in (values, places)]
    return tuple(one if a.keepdim else _op.squeeze(one, axis=[axis]) for one in last)


def _median(a):
    x = _v.expr(a[0])
    axis = a.dim
    if axis is None:
        flat = _op.sort(_op.reshape(x, newshape=(-1,)), axis=0)
        extent = _v.shape_of(flat)[0]
        middle = select(flat, 0, (extent - 1) // 2)
        # One NaN makes the whole NaN; NaN is sorted to the end.
        last = select(flat, 0, extent - 1)
        return _op.where(_op.isnan(last), last, middle) if _v.is_float(x) else middle
    if _v.rank_of(x) == 0:
        return x, _v.expr(0, "int64")
    axis = _v.axis_of(axis, _v.rank_of(x))
    values, places = _sort(a)
    middle = (_v.shape_of(x)[axis] - 1) // 2
    found = [select(one, axis, middle) for one in (values, places)]
    if _v.is_float(x):
        found = _first_nan_or(x, axis, values, found)
    return tuple(_op.expand_dims(one, axis=axis) if a.keepdim else one for one in found)


def _first_nan_or(x, axis, values, found):
    """NaN and the place of the first one, where there is one: they are sorted to the end."""
    last = select(values, axis, _v.shape_of(x)[axis] - 1)
    first = _op.argmax(_v.cast(_op.isnan(x), "int8"), axis=[axis])
    return [_op.where(_op.isnan(last), *pair)
            for pair in zip((last, _v.cast(first, "int64")), found)]


def _searchsorted(rows, values, a):
    dtype = "int32" if a.out_int32 else "int64"
    rank = _v.rank_of(values) if _v.is_tensor(values) else 0
    kind = _v.promoted(rows, values) if _v.is_tensor(values) else _v.promoted(rows, float(values))
    rows, values = _v.expr(rows, kind), at_least(_v.expr(values, kind), 1)
    if a.sorter is not None:
        rows = _op.gather(rows, _v.rank_of(rows) - 1, _v.expr(a.sorter, "int64"))
    made = _op.searchsorted(rows, values, right=bool(a.right) or a.side == "right", dtype=dtype)
    return made if rank else _op.reshape(made, newshape=())


@operator("_unique2")
def _unique(a):
    """(the elements, the number of each, how often): how many there are is found by the run."""
    x = _v.expr(a[0])
    values, _, inverse, counts = _op.unique(_op.reshape(x, newshape=(-1,)), is_sorted=True,
                                            return_counts=True, dtype="int64")
    return values, _op.reshape(inverse, newshape=_v.shape_of(x)), counts
