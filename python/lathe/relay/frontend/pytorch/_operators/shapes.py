"""Shapes: views, joining, splitting."""

from .....error import LatheValueError
from .... import nn as _nn
from .... import op as _op
from .. import _values as _v
from .._registry import operator, operators


def extents_of(value):
    """Extents of a list, a tensor or a number, as ints and expressions over sizes."""
    if _v.known_tensor(value):
        value = value.tolist()
    values = value if isinstance(value, (list, tuple)) else [value]
    return [_extent(one) for one in values]


def _extent(one):
    if _v.is_size(one):
        return one
    return int(_v.known_number(one, "an extent"))


def reshaped(x, shape):
    """The elements in another shape; -1 is what is left."""
    shape = extents_of(shape)
    old = _v.shape_of(x)
    if -1 in shape and all(isinstance(n, int) for n in old + shape):
        rest = _v.product(n for n in shape if n != -1)
        if rest:
            shape[shape.index(-1)] = _v.product(old) // rest
    if 0 in shape:
        return _op.zeros(shape=shape, dtype=_v.dtype_of(x))
    return _op.reshape(x, newshape=shape)


operators({
    "view reshape _unsafe_view _reshape_alias unsafe_reshape": lambda a: _view(a),
    "view_as reshape_as": lambda a: reshaped(_v.expr(a[0]), _v.shape_of(a[1])),
    "flatten": lambda a: _flatten(a), "ravel": lambda a: reshaped(_v.expr(a[0]), [-1]),
    "unflatten": lambda a: _unflatten(a),
    "squeeze": lambda a: _squeeze(_v.expr(a[0]), a.dim),
    "unsqueeze": lambda a: _unsqueeze(_v.expr(a[0]), a.dim),
    "permute": lambda a: _permute(_v.expr(a[0]), a.dims),
    "transpose swapaxes swapdims": lambda a: _transpose(_v.expr(a[0]), a[1], a[2]),
    "t": lambda a: _transpose(_v.expr(a[0]), 0, 1) if _v.rank_of(a[0]) > 1 else _v.expr(a[0]),
    "numpy_T": lambda a: _op.transpose(_v.expr(a[0])) if _v.rank_of(a[0]) > 1 else _v.expr(a[0]),
    "mT adjoint mH matrix_H": lambda a: _transpose(_v.expr(a[0]), -1, -2)
    if _v.rank_of(a[0]) > 1 else _v.expr(a[0]),
    "movedim moveaxis": lambda a: _movedim(a),
    "expand broadcast_to": lambda a: _expand(_v.expr(a[0]), a[1]),
    "expand_as": lambda a: _expand(_v.expr(a[0]), _v.shape_of(a[1])),
    "cat concat concatenate": lambda a: _cat(a[0], a[1] or 0),
    "stack": lambda a: _stack(a[0], a[1] or 0),
    "hstack": lambda a: _joined(a[0], 1, 1 if _v.rank_of(a[0][0]) > 1 else 0),
    "vstack row_stack": lambda a: _joined(a[0], 2, 0),
    "dstack": lambda a: _joined(a[0], 3, 2),
    "column_stack": lambda a: _cat([_v.expr(one) if _v.rank_of(one) > 1 else
                                    reshaped(_v.expr(one), [-1, 1]) for one in a[0]], 1),
    "chunk": lambda a: _chunk(a), "unbind": lambda a: _unbind(_v.expr(a[0]), a.dim or 0),
    "split split_with_sizes unsafe_split unsafe_split_with_sizes": lambda a: _split(
        _v.expr(a[0]), a[1], a.dim or 0),
    "unsafe_chunk": lambda a: _chunk(a),
    "tensor_split": lambda a: _tensor_split(_v.expr(a[0]), a[1], a.dim or 0),
    "repeat": lambda a: _repeat(_v.expr(a[0]), extents_of(a[1])),
    "tile": lambda a: _repeat(_v.expr(a[0]), extents_of(a[1])),
    "repeat_interleave": lambda a: _interleave(a),
    "flip": lambda a: _flip(_v.expr(a[0]), a.dims),
    "fliplr": lambda a: _flip(_v.expr(a[0]), [1]), "flipud": lambda a: _flip(_v.expr(a[0]), [0]),
    "roll": lambda a: _roll(a), "rot90": lambda a: _rot90(a),
    "pixel_shuffle": lambda a: _pixels(a, _nn.depth_to_space, mode="CRD"),
    "pixel_unshuffle": lambda a: _unshuffle(a),
    "channel_shuffle native_channel_shuffle": lambda a: _channel_shuffle(_v.expr(a[0]), a.groups),
    "atleast_1d": lambda a: _at_least(a, 1), "atleast_2d": lambda a: _at_least(a, 2),
    "atleast_3d": lambda a: _at_least(a, 3),
    "broadcast_tensors": lambda a: _broadcast(a[0]),
    "meshgrid": lambda a: list(_op.meshgrid([_v.expr(one) for one in a[0]],
                                            indexing=a.indexing or "ij")),
    "unfold": lambda a: _unfold(_v.expr(a[0]), a.dimension, a.size, a.step),
})


@operator("as_strided")
def _as_strided(a):
    """Elements at computed places of the storage, which is taken to be the tensor itself."""
    x = _v.expr(a[0])
    size, stride = extents_of(a.size), extents_of(a.stride)
    places = _v.expr(int(a.storage_offset or 0), "int64")
    for axis, (extent, step) in enumerate(zip(size, stride)):
        along = _op.arange(start=0, stop=extent, dtype="int64") * step
        places = places + _op.reshape(along, newshape=[-1] + [1] * (len(size) - axis - 1))
    places = _op.broadcast_to(places, shape=size) if size else places
    return _op.take(_op.reshape(x, newshape=(-1,)), places, axis=0)


def _view(a):
    if a.has("dtype"):
        raise LatheValueError("the bits of a tensor seen as another type are not supported",
                              "pytorch-value", "help: tensor.to(dtype) converts the numbers")
    return reshaped(_v.expr(a[0]), a[1])


def _flatten(a):
    x = _v.expr(a[0])
    shape = _v.shape_of(x)
    if not shape:
        return _op.reshape(x, newshape=(1,))
    first = _v.axis_of(a.start_dim or 0, len(shape))
    last = _v.axis_of(-1 if a.end_dim is None else a.end_dim, len(shape))
    return reshaped(x, shape[:first] + [_v.product(shape[first:last + 1])] + shape[last + 1:])


def _unflatten(a):
    x = _v.expr(a[0])
    shape, axis = _v.shape_of(x), _v.axis_of(a.dim, _v.rank_of(x))
    sizes = extents_of(a.sizes)
    if -1 in sizes:
        rest = _v.product(n for n in sizes if n != -1)
        sizes[sizes.index(-1)] = shape[axis] // rest
    return reshaped(x, shape[:axis] + sizes + shape[axis + 1:])


def _squeeze(x, axes):
    shape = _v.shape_of(x)
    if not shape:
        return x
    axes = range(len(shape)) if axes is None else _v.axes_of(axes, len(shape)) if \
        not isinstance(axes, (list, tuple)) or axes else []
    gone = [axis for axis in axes if shape[axis] == 1]
    return _op.squeeze(x, axis=gone) if gone else x


def _unsqueeze(x, axis):
    return _op.expand_dims(x, axis=_v.axis_of(axis, _v.rank_of(x) + 1))


def _permute(x, axes):
    return _op.transpose(x, axes=[_v.axis_of(n, _v.rank_of(x)) for n in axes]) if axes else x


def _transpose(x, one, other):
    rank = _v.rank_of(x)
    if rank == 0:
        return x
    axes = list(range(rank))
    one, other = _v.axis_of(one, rank), _v.axis_of(other, rank)
    axes[one], axes[other] = axes[other], axes[one]
    return _op.transpose(x, axes=axes)


def _movedim(a):
    x = _v.expr(a[0])
    rank = _v.rank_of(x)
    if rank == 0:
        return x
    sources, targets = (_v.axes_of(one, rank) for one in (a.source, a.destination))
    order = [n for n in range(rank) if n not in sources]
    for target, source in sorted(zip(targets, sources)):
        order.insert(target, source)
    return _op.transpose(x, axes=order)


def _expand(x, shape):
    shape, old = extents_of(shape), _v.shape_of(x)
    front = len(shape) - len(old)
    shape = [old[i - front] if isinstance(n, int) and n == -1 else n for i, n in enumerate(shape)]
    return x if shape == old and all(isinstance(n, int) for n in old) else \
        _op.broadcast_to(x, shape=shape)


def _parts(values):
    """Tensors of one type, without the empty ones that concatenation ignores."""
    values = [one for one in values if _v.shape_of(one) != [0]] or list(values)[:1]
    dtype = _v.promoted(*values)
    return [_v.expr(one, dtype) for one in values]


def _cat(values, axis):
    if not isinstance(values, (list, tuple)):
        raise LatheValueError("a list of tensors is needed", "pytorch-value",
                              f"found: {type(values).__name__}")
    dtype = _v.promoted(*values)
    parts = [_v.cast(one, dtype) for one in _parts(values)]
    return parts[0] if len(parts) == 1 else _op.concatenate(
        parts, axis=_v.axis_of(axis, _v.rank_of(parts[0])))


def _stack(values, axis):
    dtype = _v.promoted(*values)
    parts = [_v.expr(one, dtype) for one in values]
    return _op.stack(parts, axis=_v.axis_of(axis, _v.rank_of(parts[0]) + 1))


def _joined(values, rank, axis):
    return _cat([at_least(_v.expr(one), rank) for one in values], axis)


def at_least(x, rank):
    """A tensor with further dimensions of extent 1, by the rules of atleast_1d, 2d, 3d."""
    shape = _v.shape_of(x)
    if len(shape) >= rank:
        return x
    if rank == 1:
        new = [1]
    elif rank == 2:
        new = [1, *shape] if shape else [1, 1]
    else:
        new = {0: [1, 1, 1], 1: [1, *shape, 1], 2: [*shape, 1]}[len(shape)]
    return _op.reshape(x, newshape=new)


def _at_least(a, rank):
    if isinstance(a[0], (list, tuple)):
        return [at_least(_v.expr(one), rank) for one in a[0]]
    return at_least(_v.expr(a[0]), rank)


def _known_extent(x, axis):
    extent = _v.shape_of(x)[axis]
    if not isinstance(extent, int):
        raise LatheValueError("a dimension that is split has an extent that each run chooses",
                              "pytorch-value-needed", f"found: {extent}")
    return extent


def _pieces(x, sizes, axis):
    """Parts of given extents along one dimension."""
    found, start = [], 0
    for size in sizes:
        found.append(_op.strided_slice(x, begin=[start], end=[start + size], axes=[axis]))
        start = start + size
    return found


def _chunk(a):
    x = _v.expr(a[0])
    axis = _v.axis_of(a.dim or 0, _v.rank_of(x))
    extent, count = _known_extent(x, axis), int(a.chunks)
    size = max(-(-extent // count), 1)
    return _split(x, size, axis)


def _split(x, size, axis):
    axis = _v.axis_of(axis, _v.rank_of(x))
    if isinstance(size, (list, tuple)):
        return _pieces(x, extents_of(size), axis)
    extent, size = _known_extent(x, axis), int(size)
    if size == 0 or extent == 0:
        return [x]
    sizes = [min(size, extent - start) for start in range(0, extent, size)]
    return [x] if len(sizes) == 1 else _pieces(x, sizes, axis)


def _tensor_split(x, where, axis):
    if _v.is_tensor(where) and not _v.known_tensor(where):
        raise LatheValueError("the places of a split are computed while the model runs",
                              "pytorch-value-needed")
    axis = _v.axis_of(axis, _v.rank_of(x))
    extent = _known_extent(x, axis)
    if _v.known_tensor(where):
        where = where.tolist()
    if isinstance(where, (list, tuple)):
        ends = [min(max(n + extent if n < 0 else n, 0), extent) for n in extents_of(where)]
        starts = [0, *ends]
        return [_op.strided_slice(x, begin=[i], end=[max(i, j)], axes=[axis])
                for i, j in zip(starts, [*ends, extent])]
    count = int(where)
    sizes = [extent // count + (i < extent % count) for i in range(count)]
    return _pieces(x, sizes, axis)


def _unbind(x, axis):
    axis = _v.axis_of(axis, _v.rank_of(x))
    extent = _known_extent(x, axis)
    parts = _pieces(x, [1] * extent, axis)
    return [_op.squeeze(one, axis=[axis]) for one in parts]


def _repeat(x, counts):
    return _op.tile(x, reps=counts) if counts else x


def _interleave(a):
    if _v.known_tensor(a.repeats) and a.repeats.numel() > 1:
        x = _v.expr(a[0]) if a.dim is not None else _op.reshape(_v.expr(a[0]), newshape=(-1,))
        torch = _v.torch()
        places = torch.repeat_interleave(torch.arange(a.repeats.numel()), a.repeats)
        return _op.take(x, _v.expr(places), axis=_v.axis_of(a.dim or 0, _v.rank_of(x)))
    if _v.known_tensor(a.repeats):
        a = a.replaced(lambda one: int(one) if one is a.repeats else one)
    if not _v.is_number(a.repeats):
        raise LatheValueError("repeats that differ from element to element give a shape that "
                              "each run chooses", "pytorch-value-needed")
    x = _v.expr(a[0])
    if a.dim is None:
        x, axis = _op.reshape(x, newshape=(-1,)), 0
    else:
        axis = _v.axis_of(a.dim, _v.rank_of(x))
    x = at_least(x, 1)
    return _op.repeat(x, repeats=int(a.repeats), axis=axis)


def _flip(x, axes):
    axes = _v.axes_of(axes, _v.rank_of(x)) if axes else []
    return _op.reverse(x, axis=axes) if axes and _v.rank_of(x) else x


def _roll(a):
    x = _v.expr(a[0])
    shifts = [int(n) for n in _v.pair(a.shifts, 1)]
    axes = a.dims if isinstance(a.dims, (list, tuple)) or a.dims is None else [a.dims]
    if not _v.rank_of(x) or 0 in _v.shape_of(x):
        return x
    if not axes:
        flat = _op.roll(_op.reshape(x, newshape=(-1,)), shift=shifts, axis=[0])
        return _op.reshape(flat, newshape=_v.shape_of(x))
    for shift, axis in zip(shifts, axes):
        x = _op.roll(x, shift=[shift], axis=[_v.axis_of(axis, _v.rank_of(x))])
    return x


def _rot90(a):
    x = _v.expr(a[0])
    one, other = _v.axes_of(a.dims or [0, 1], _v.rank_of(x))
    turns = (1 if a.k is None else int(a.k)) % 4
    if turns == 0:
        return x
    if turns == 2:
        return _op.reverse(x, axis=[one, other])
    return _op.reverse(_transpose(x, one, other), axis=[one if turns == 1 else other])


def _as_images(x):
    """(images as rank 4, the dimensions in front)."""
    shape = _v.shape_of(x)
    return reshaped(x, [_v.product(shape[:-3]), *shape[-3:]]), shape[:-3]


def _pixels(a, function, **attrs):
    images, front = _as_images(_v.expr(a[0]))
    made = function(images, block_size=int(a[1]), **attrs)
    return reshaped(made, front + _v.shape_of(made)[1:])


def _unshuffle(a):
    """space_to_depth with PyTorch's order: the channel is the slowest part."""
    images, front = _as_images(_v.expr(a[0]))
    n, c, h, w = _v.shape_of(images)
    r = int(a[1])
    x = reshaped(images, [n, c, h // r, r, w // r, r])
    x = _op.transpose(x, axes=[0, 1, 3, 5, 2, 4])
    return reshaped(x, front + [c * r * r, h // r, w // r])


def _channel_shuffle(x, groups):
    shape = _v.shape_of(x)
    x = reshaped(x, [shape[0], int(groups), shape[1] // int(groups), *shape[2:]])
    return reshaped(_transpose(x, 1, 2), shape)


def _broadcast(values):
    shape = broadcast_shape([_v.shape_of(one) for one in values])
    return [_expand(_v.expr(one), shape) for one in values]


def broadcast_shape(shapes):
    """The shape that tensors of these shapes are broadcast to."""
    rank = max(len(one) for one in shapes)
    found = [1] * rank
    for shape in shapes:
        for i, extent in enumerate(shape, rank - len(shape)):
            if not (isinstance(extent, int) and extent == 1):
                found[i] = extent
    return found


def _unfold(x, axis, size, step):
    """Windows along one dimension, as a new last dimension."""
    if _v.rank_of(x) == 0:
        return _op.reshape(x, newshape=(1,)) if int(size) else _v.full([0], 0, _v.dtype_of(x))
    rank = _v.rank_of(x)
    axis, size, step = _v.axis_of(axis, rank), int(size), int(step)
    extent = _v.shape_of(x)[axis]
    count = (extent - size) // step + 1
    starts = _op.arange(start=0, stop=count, dtype="int64") * step
    places = _op.reshape(starts, newshape=[-1, 1]) + \
        _op.arange(start=0, stop=size, dtype="int64")
    made = _op.take(x, places, axis=axis)
    order = [n for n in range(rank + 1) if n != axis + 1] + [axis + 1]
    return _op.transpose(made, axes=order)
