"""Parts of tensors: slices, gathering, indexing with tensors."""

from ..... import tir
from .....error import LatheValueError
from .... import op as _op
from .. import _values as _v
from .._registry import operator, operators
from .shapes import at_least, broadcast_shape, reshaped

operators({
    "slice": lambda a: slice_of(_v.expr(a[0]), a.dim or 0, a.start, a.end, a.step)
    if _v.is_tensor(a[0]) else a[0][a[1]:a[2]:a[3]],
    "select": lambda a: select(_v.expr(a[0]), a.dim, a.index),
    "narrow": lambda a: _narrow(_v.expr(a[0]), a),
    "slice_scatter": lambda a: set_slice(_v.expr(a[0]), _v.expr(a[1]), a.dim or 0, a.start, a.end,
                                         a.step),
    "select_scatter": lambda a: set_selected(_v.expr(a[0]), _v.expr(a[1]), a.dim, a.index),
    "copy": lambda a: _filled(_v.expr(a[0]), a[1]),
    "fill": lambda a: _filled(_v.expr(a[0]), a[1]), "zero": lambda a: _filled(_v.expr(a[0]), 0),
    "embedding": lambda a: _op.take(_v.expr(a[0]), index_of(a[1]), axis=0),
    "index_select": lambda a: _index_select(a),
    "gather": lambda a: _gather(a), "take": lambda a: _take(_v.expr(a[0]), index_of(a[1])),
    "take_along_dim": lambda a: _take_along(a),
    "nonzero": lambda a: _op.argwhere(at_least(_v.expr(a[0]), 0), dtype="int64"),
    "where": lambda a: _columns(a[0]), "nonzero_numpy": lambda a: _columns(a[0]),
    "argwhere": lambda a: _op.argwhere(_v.expr(a[0]), dtype="int64"),
    "masked_select": lambda a: _masked_select(a),
    "tril": lambda a: _triangle(a, False), "triu": lambda a: _triangle(a, True),
    "one_hot": lambda a: _one_hot(a),
    "diagonal linalg_diagonal": lambda a: diagonal(_v.expr(a[0]), a),
})


def _narrow(x, a):
    axis, start = _v.axis_of(a.dim, _v.rank_of(x)), a.start
    if _v.known_tensor(start):
        start = int(start)
    if not _v.is_number(start):  # computed while the model runs
        places = _op.arange(start=0, stop=a.length, dtype="int64") + from_front(
            _v.expr(start, "int64"), _v.shape_of(x)[axis])
        return _op.take(x, places, axis=axis)
    if isinstance(start, int) and start < 0:
        start = _v.shape_of(x)[axis] + start
    return slice_of(x, axis, start, start + a.length, 1)


def index_of(value):
    """Places, as int64."""
    return _v.expr(value) if _v.dtype_of(value) in ("int32", "int64") else _v.expr(value, "int64")


def _bound(value, extent, default):
    """A place of a slice, counted from the front where extents are known."""
    if value is None:
        return default
    if not _v.is_size(value):
        value = int(_v.known_number(value, "a place of a slice"))
    if isinstance(value, int) and isinstance(extent, int):
        value = value + extent if value < 0 else value
        return min(max(value, 0), extent)
    if isinstance(value, int) and value >= 2 ** 31 - 1:
        return extent
    if isinstance(value, int) and value < 0:
        return tir.max(extent + value, 0)
    return value


def slice_of(x, axis, start, end, step):
    axis = _v.axis_of(axis, _v.rank_of(x))
    extent, step = _v.shape_of(x)[axis], int(1 if step is None else step)
    start, end = _bound(start, extent, 0), _bound(end, extent, extent)
    if isinstance(start, int) and start == 0 and step == 1 and (
            end is extent or isinstance(end, int) and end == extent):
        return x
    if isinstance(start, int) and isinstance(end, int):
        end = max(start, end)
    return _op.strided_slice(x, begin=[start], end=[end], strides=[step], axes=[axis])


def select(x, axis, index):
    axis = _v.axis_of(axis, _v.rank_of(x))
    if _v.known_tensor(index):
        index = int(index)
    if not _v.is_number(index):
        place = from_front(_op.reshape(_v.expr(index, "int64"), newshape=(1,)), _v.shape_of(x)[axis])
        return _op.squeeze(_op.take(x, place, axis=axis), axis=[axis])
    extent = _v.shape_of(x)[axis]
    if isinstance(index, int) and isinstance(extent, int) and not -extent <= index < extent:
        raise LatheValueError("an index is outside of a tensor", "pytorch-axis",
                              f"expected: below {extent}\nfound: {index}")
    if _v.is_size(index) or not isinstance(extent, int):  # one element, whatever the extent
        place = extent + index if isinstance(index, int) and index < 0 else index
        place = _op.reshape(_v.expr(place, "int64"), newshape=(1,))
        if _v.is_size(index):  # n - 5 counts from the end if n is 3
            place = from_front(place, extent)
        return _op.squeeze(_op.take(x, place, axis=axis), axis=[axis])
    index = _bound(index, extent, 0)
    part = _op.strided_slice(x, begin=[index], end=[index + 1], axes=[axis])
    return _op.squeeze(part, axis=[axis])


def set_slice(data, value, axis, start, end, step):
    """`data` with `value` in a slice along one dimension."""
    axis = _v.axis_of(axis, _v.rank_of(data))
    extent, step = _v.shape_of(data)[axis], int(1 if step is None else step)
    start, end = _bound(start, extent, 0), _bound(end, extent, extent)
    shape = _v.shape_of(data)
    if isinstance(start, int) and isinstance(end, int):
        if end <= start:
            return data
        shape[axis] = -(-(end - start) // step)
    else:
        shape[axis] = _v.shape_of(value)[axis]
    value = _v.cast(value, _v.dtype_of(data))
    if _v.shape_of(value) != shape:
        value = _op.broadcast_to(value, shape=shape)
    return _op.strided_set(data, value, begin=[start], end=[end], strides=[step], axes=[axis])


def set_selected(data, value, axis, index):
    """`data` with `value` at one place of a dimension.

    Args:
        data: an expression.
        value: an expression of one dimension less.
        axis: the dimension.
        index: an int, a size, or an expression of one element; a negative one counts from the end.

    Returns:
        An expression.
    """
    axis = _v.axis_of(axis, _v.rank_of(data))
    row, extent = _op.expand_dims(value, axis=axis), _v.shape_of(data)[axis]
    if _v.known_tensor(index):
        index = int(index)
    if not _v.is_number(index):
        place = from_front(_op.reshape(_v.expr(index, "int64"), newshape=(1,)), extent)
        here = _op.equal(_op.arange(start=0, stop=extent, dtype="int64"), place)
        shape = [-1 if i == axis else 1 for i in range(_v.rank_of(data))]
        return _op.where(_op.reshape(here, newshape=shape), _v.cast(row, _v.dtype_of(data)), data)
    if _v.is_size(index):
        index = (index + extent) % extent
    return set_slice(data, row, axis, index,
                     None if isinstance(index, int) and index == -1 else index + 1, 1)


def _filled(x, value):
    value = _v.expr(value, _v.dtype_of(x))
    if _v.rank_of(value) and _v.shape_of(value) == _v.shape_of(x):
        return value
    return _op.broadcast_to(value, shape=_v.shape_of(x)) if _v.rank_of(x) else \
        _op.reshape(value, newshape=())


def from_front(index, extent):
    """Places of which negative ones count from the end."""
    zero = _v.expr(0, _v.dtype_of(index))
    return _op.where(_op.less(index, zero), index + _v.expr(extent, _v.dtype_of(index)), index)


def _index_select(a):
    x, index = _v.expr(a[0]), at_least(index_of(a.index), 1)
    if _v.rank_of(x) == 0:
        return x
    return _op.take(x, index, axis=_v.axis_of(a.dim, _v.rank_of(x)))


def _gather(a):
    x, index = _v.expr(a[0]), index_of(a.index)
    if _v.rank_of(x) == 0 or _v.rank_of(index) == 0:
        made = _op.take(at_least(x, 1), at_least(index, 1), axis=0)
        return _op.reshape(made, newshape=_v.shape_of(index))
    if 0 in _v.shape_of(index):
        return _op.zeros(shape=_v.shape_of(index), dtype=_v.dtype_of(x))
    return _op.gather(x, _v.axis_of(a.dim, _v.rank_of(x)), index)


def _take(x, index):
    flat = _op.reshape(x, newshape=(-1,))
    return _op.take(flat, from_front(index, _v.product(_v.shape_of(x))), axis=0)


def _take_along(a):
    x, index = _v.expr(a[0]), index_of(a.indices)
    if a.dim is None:
        flat, places = (_op.reshape(one, newshape=(-1,)) for one in (x, index))
        return _op.gather(flat, 0, places)
    axis = _v.axis_of(a.dim, _v.rank_of(x))
    shape = broadcast_shape([_other(_v.shape_of(x), axis), _other(_v.shape_of(index), axis)])
    whole = [one if i != axis else _v.shape_of(x)[axis] for i, one in enumerate(shape)]
    places = [one if i != axis else _v.shape_of(index)[axis] for i, one in enumerate(shape)]
    return _op.gather(_op.broadcast_to(x, shape=whole), axis, _op.broadcast_to(index, shape=places))


def _other(shape, axis):
    return [1 if i == axis else one for i, one in enumerate(shape)]


# -- Indexing with tensors: x[i, :, j].


def _columns(value):
    value = at_least(_v.expr(value), 1)
    found = _op.argwhere(value, dtype="int64")
    return [_op.squeeze(_op.strided_slice(found, begin=[i], end=[i + 1], axes=[1]), axis=[1])
            for i in range(max(_v.rank_of(value), 1))]


def _masked_select(a):
    x, mask = _v.expr(a[0]), _v.expr(a[1], "bool")
    shape = broadcast_shape([_v.shape_of(x), _v.shape_of(mask)])
    x = _op.reshape(_op.broadcast_to(x, shape=shape) if shape else x, newshape=(-1,))
    mask = _op.reshape(_op.broadcast_to(mask, shape=shape) if shape else mask, newshape=(-1,))
    return _op.take(x, _columns(mask)[0], axis=0)


def _indices(values):
    """Index tensors, of which bool ones become places."""
    found = []
    for value in values:
        if value is not None and _v.dtype_of(value) in ("bool", "uint8"):
            found.extend(_columns(_v.expr(value, "bool")))
        else:
            found.append(None if value is None else _v.expr(value, "int64"))
    return found


def _to_front(x, indices):
    """(x with the indexed dimensions in front, their numbers, where the result's places go)."""
    rank = _v.rank_of(x)
    used = [i for i, one in enumerate(indices) if one is not None]
    rest = [i for i in range(rank) if i not in used]
    together = used == list(range(used[0], used[-1] + 1))
    x = x if used == list(range(len(used))) else _op.transpose(x, axes=used + rest)
    return x, used, rest, used[0] if together else 0


@operator("index _unsafe_index")
def _index_tensors(a):
    x = _v.expr(a[0])
    indices = _indices(a[1])
    if not any(one is not None for one in indices):
        return x
    front, used, rest, where = _to_front(x, indices)
    shape = _v.shape_of(x)
    picked = [from_front(indices[i], shape[i]) for i in used]
    if len(used) == 1:
        made, rank = _op.take(front, picked[0], axis=0), _v.rank_of(picked[0])
    else:
        extents = broadcast_shape([_v.shape_of(one) for one in picked])
        flat = None
        for i, one in zip(used, picked):
            flat = one if flat is None else flat * _v.expr(shape[i], "int64") + one
        rank = len(extents)
        front = reshaped(front, [_v.product(shape[i] for i in used), *[shape[i] for i in rest]])
        made = _op.take(front, flat, axis=0)
    if where == 0:
        return made
    order = [rank + i for i in range(where)] + list(range(rank)) + \
        list(range(rank + where, rank + len(rest)))
    return _op.transpose(made, axes=order)


@operator("index_put _index_put_impl _unsafe_index_put")
def _index_put(a):
    x = _v.expr(a[0])
    if not any(one is not None for one in a[1]):
        return _filled(x, a[2])
    masks = [one for one in a[1] if one is not None]
    if len(masks) == 1 and a[1][0] is masks[0] and _v.dtype_of(masks[0]) in ("bool", "uint8") and \
            not (_v.is_tensor(a[2]) and _v.rank_of(a[2])):
        return _masked_put(x, _v.expr(masks[0], "bool"), a[2], a.accumulate)
    indices = _indices(a[1])
    front, used, rest, where = _to_front(x, indices)
    shape, dtype = _v.shape_of(x), _v.dtype_of(x)
    picked = [from_front(indices[i], shape[i]) for i in used]
    places = broadcast_shape([_v.shape_of(one) for one in picked])
    tail = [shape[i] for i in rest]
    value = _v.expr(a[2], dtype)
    if where and _v.rank_of(value) > len(rest) - where:
        value = _moved(value, places, tail, where)
    value = _op.broadcast_to(value, shape=places + tail) if places + tail else value
    picked = [_op.broadcast_to(one, shape=places) if places else one for one in picked]
    made = _put(front, _op.stack(picked, axis=0), value, a.accumulate)
    if used == list(range(len(used))):
        return made
    order = used + rest
    return _op.transpose(made, axes=[order.index(i) for i in range(len(order))])


def _put(data, places, value, accumulate):
    if accumulate and _v.dtype_of(data) == "bool":
        made = _op.scatter_nd(_v.cast(data, "int8"), places, _v.cast(value, "int8"), mode="max")
        return _v.cast(made, "bool")
    return _op.scatter_nd(data, places, value, mode="add" if accumulate else "update")


def _masked_put(x, mask, value, accumulate):
    """x[mask] = number."""
    value = _v.expr(value, _v.dtype_of(x))
    value = x + value if accumulate else value
    extra = _v.rank_of(x) - _v.rank_of(mask)
    mask = _op.reshape(mask, newshape=_v.shape_of(mask) + [1] * extra) if extra else mask
    return _op.where(mask, value, x)


def _moved(value, places, tail, where):
    """The values of x[:, i] = values, with the indexed places in front."""
    whole = tail[:where] + places + tail[where:]
    value = _op.broadcast_to(value, shape=whole)
    rank = len(places)
    order = list(range(where, where + rank)) + list(range(where)) + \
        list(range(where + rank, len(whole)))
    return _op.transpose(value, axes=order)


@operator("embedding_bag _embedding_bag _embedding_bag_forward_only")
def _embedding_bag(a):
    """Its results are (the bags, offset2bag, bag sizes, maximal indices): the first one alone."""
    if a.padding_idx is not None and a.padding_idx >= 0:
        raise LatheValueError("embedding_bag with padding_idx is not supported", "pytorch-value")
    weight, indices = _v.expr(a.weight), index_of(a.indices)
    mode = ("sum", "mean", "max")[int(a.mode or 0)]
    operands = [weight, indices, index_of(a.offsets)]
    if a.per_sample_weights is not None:
        operands.append(_v.expr(a.per_sample_weights))
    made = _op.embedding_bag(*operands, mode=mode, include_last_offset=bool(a.include_last_offset))
    none = _v.full([0], 0, "int64")
    return made, none, none, none


def _triangle(a, upper):
    x = _v.expr(a[0])
    return _op.trilu(x, _v.expr(int(a.diagonal or 0), "int64"), upper=upper)


def _one_hot(a):
    depth = a.num_classes
    if depth is None or depth == -1:
        raise LatheValueError("one_hot needs the number of classes", "pytorch-value-needed",
                              "help: one_hot(x, num_classes=n)")
    return _op.one_hot(_v.expr(a[0]), _v.expr(1, "int64"), _v.expr(0, "int64"), depth=depth,
                       dtype="int64")


def diagonal(x, a):
    """Elements x[..., i, i + offset], as the last dimension."""
    rank = _v.rank_of(x)
    first = _v.axis_of(a.dim1 if a.dim1 is not None else (-2 if a.has("A") else 0), rank)
    second = _v.axis_of(a.dim2 if a.dim2 is not None else (-1 if a.has("A") else 1), rank)
    offset = int(a.offset or 0)
    rest = [i for i in range(rank) if i not in (first, second)]
    x = _op.transpose(x, axes=rest + [first, second])
    shape = _v.shape_of(x)
    rows, columns = shape[-2], shape[-1]
    fixed = isinstance(rows, int) and isinstance(columns, int)
    least, greatest = (min, max) if fixed else (tir.min, tir.max)
    count = greatest(least(rows + min(offset, 0), columns - max(offset, 0)), 0)
    if isinstance(count, int) and count == 0:
        return _op.zeros(shape=shape[:-2] + [0], dtype=_v.dtype_of(x))
    flat = reshaped(x, shape[:-2] + [rows * columns])
    begin = offset if offset >= 0 else -offset * columns
    places = _op.arange(start=0, stop=count, dtype="int64") * _v.expr(columns + 1, "int64") + \
        _v.expr(begin, "int64")
    return _op.take(flat, places, axis=len(rest))
