"""New tensors, other shapes, parts, frames and blocks."""

import itertools

import numpy as np

from comparison import Table, bfloat16, integers, random
from comparison import torch as T

table = Table()


def add(op, reference, args, **attrs):
    """What moves elements is exact."""
    table.add(op, reference, args, exact=True, **attrs)


# -- New tensors.

for name, value in (("zeros", 0), ("ones", 1)):
    for dtype in ("float32", "float16", "int8", "uint64", "bool"):
        add(name, lambda shape, dtype, v=value: np.full(shape, v, dtype), [], shape=(3, 5),
            dtype=dtype)
add("ones", lambda shape, dtype: np.ones(shape, "float32"), [], shape=(), dtype="float32")
add("full", lambda v, shape: np.full(shape, v), [random()], shape=(3, 5))
add("full", lambda v, shape, dtype: np.full(shape, v[0], dtype), [integers(1)], shape=(4,),
    dtype="float32")
add("full_like", lambda x, v: np.full_like(x, v), [random(4, 3), random(seed=3)])
add("full_like", lambda x, v: np.full_like(x, v), [integers(2, 3, dtype="int8"),
                                                   np.array(5, "int8")])


def arange(start=0, stop=None, step=1, dtype="float32"):
    return np.arange(start, stop, step).astype(dtype)


for attrs in ({"stop": 7}, {"start": 2, "stop": 9, "step": 3}, {"start": 2, "stop": 11, "step": 3},
              {"start": 5, "stop": -4, "step": -2}, {"start": -3, "stop": 3, "dtype": "int64"},
              {"stop": 4, "dtype": "uint8"}):
    add("arange", arange, [], **attrs)
add("shape_of", lambda x, dtype="int32": np.array(x.shape, dtype), [random(4, 3, 5)])
add("shape_of", lambda x, dtype: np.array(x.shape, dtype), [random(2, 3)], dtype="int64")
add("ndarray_size", lambda x, dtype="int32": np.array(x.size, dtype), [random(4, 3, 5)])
add("ndarray_size", lambda x, dtype: np.array(x.size, dtype), [random()], dtype="int64")


def one_hot(indices, on, off, depth, axis=-1, dtype=None):
    axis = axis % (indices.ndim + 1)
    places = np.arange(depth).reshape([-1] + [1] * (indices.ndim - axis))
    result = np.where(np.expand_dims(indices, axis) == places, on, off)
    return result.astype(dtype or on.dtype)


ON, OFF = np.array(2.5, "float32"), np.array(-1, "float32")
for attrs in ({}, {"axis": 0}, {"axis": 1}, {"axis": -2}, {"dtype": "float64"}):
    add("one_hot", one_hot, [integers(4, 3, low=-2, high=8), ON, OFF], depth=6, **attrs)
add("one_hot", one_hot, [integers(5, dtype="uint8", low=0, high=4), np.array(1, "int32"),
                         np.array(0, "int32")], depth=4)
for n, m, k in ((4, -1, 0), (3, 5, 1), (5, 3, -2), (3, 3, 7)):
    add("eye", lambda n, m, k, dtype: np.eye(n, m if m > 0 else None, k, dtype), [], n=n, m=m, k=k,
        dtype="float32")
add("eye", lambda n: np.eye(n, dtype="float32"), [], n=3)


def trilu(x, k=0, upper=True):
    return np.triu(x, int(k)) if upper else np.tril(x, int(k))


for k in (-3, -1, 0, 2, 9):
    for upper in (True, False):
        add("trilu", trilu, [random(2, 4, 5), np.array(k, "int64")], upper=upper)
add("trilu", trilu, [integers(3, 3)])
for indexing in ("ij", "xy"):
    add("meshgrid", lambda xs, indexing: np.meshgrid(*xs, indexing=indexing),
        [[random(4), random(3), random(2)]], indexing=indexing)
add("meshgrid", lambda xs: np.meshgrid(*xs, indexing="ij"), [[integers(4), integers(5)]])

# -- Other shapes of the same elements.

X = random(4, 6, 5)
for newshape, expected in (((-1, 3), (40, 3)), ((0, -1), (4, 30)), ((-2,), (4, 6, 5)),
                           ((2, -1, 0), (2, 12, 5)), ((-3, 0), (24, 5)), ((-4, 2, -1, -2),
                                                                         (2, 2, 6, 5)),
                           ((0, -4, -1, 3, 0), (4, 2, 3, 5)), ((120,), (120,))):
    add("reshape", lambda x, newshape, e=expected: x.reshape(e), [X], newshape=newshape)
add("reshape", lambda x, newshape: x.reshape(newshape), [random(1, 1)], newshape=())
add("reshape_like", lambda x, y: x.reshape(y.shape), [random(4, 6), random(4, 2, 3)])
add("reshape_like", lambda x, y, **_: x.reshape(4, 2, 3, 5), [X, random(2, 3)],
    lhs_begin=1, lhs_end=2)
add("reshape_like", lambda x, y, **_: x.reshape(4, 3, 10), [X, random(7, 3, 10, 2)], lhs_begin=-2,
    lhs_end=3, rhs_begin=1, rhs_end=3)
add("nn.batch_flatten", lambda x: x.reshape(4, 30), [X])
ONES = random(1, 4, 1, 3, 1)
add("squeeze", np.squeeze, [ONES])
add("squeeze", lambda x, axis: np.squeeze(x, axis), [ONES], axis=(0, -1))
add("squeeze", lambda x, axis: np.squeeze(x, axis), [ONES], axis=2)
for axis, count, shape in ((1, 1, (4, 1, 6, 5)), (0, 2, (1, 1, 4, 6, 5)), (-1, 1, (4, 6, 5, 1)),
                           (-2, 2, (4, 6, 1, 1, 5))):
    add("expand_dims", lambda x, axis, num_newaxis, s=shape: x.reshape(s), [X], axis=axis,
        num_newaxis=count)
add("broadcast_to", lambda x, shape: np.broadcast_to(x, shape), [random(4, 1, 5)],
    shape=(2, 4, 3, 5))
add("broadcast_to", lambda x, shape: np.broadcast_to(x, shape), [integers(1)], shape=(3,))
add("broadcast_to_like", lambda x, y: np.broadcast_to(x, y.shape), [random(3, 1), X[:, :3, :4]])
add("transpose", lambda x: np.transpose(x), [X])
for axes in ((1, 2, 0), (0, 2, 1), (-1, 0, 1)):
    add("transpose", np.transpose, [X], axes=axes)
for axis in (0, -1, (0, 2), (1, -1)):
    add("reverse", lambda x, axis: np.flip(x, axis), [X], axis=axis)
for axis in (0, 1, -1):
    add("repeat", lambda x, repeats, axis: np.repeat(x, repeats, axis), [X], repeats=3, axis=axis)
for reps in ((2,), (2, 3), (1, 2, 1), (2, 1, 2, 3)):
    add("tile", np.tile, [X], reps=reps)
for axis in (0, 1, -1, -2):
    add("stack", np.stack, [[random(4, 3), random(4, 3, seed=1), random(4, 3, seed=2)]], axis=axis)
    add("concatenate", np.concatenate, [[random(2, 3, dtype="float16"), random(2, 3, seed=1,
                                                                               dtype="float16")]],
        axis=axis)
add("concatenate", np.concatenate, [[random(4, 3), random(4, 1), random(4, 5)]], axis=-1)
add("concatenate", lambda xs: np.concatenate(xs), [[integers(2, 3, dtype="int8"),
                                                    integers(4, 3, dtype="int8")]])
add("split", lambda x, indices_or_sections, axis: np.split(x, indices_or_sections, axis), [X],
    indices_or_sections=3, axis=1)
add("split", lambda x, indices_or_sections: np.split(x, indices_or_sections), [X],
    indices_or_sections=(1, 3))
add("split", lambda x, axis, sizes: np.split(x, [1, 3], axis), [X], axis=-1, sizes=(1, -1, 2))
for axis in (0, -1):
    add("unbind", lambda x, axis: [np.take(x, i, axis) for i in range(x.shape[axis])],
        [random(3, 4)], axis=axis)
add("roll", lambda x, shift, axis: np.roll(x, shift, axis), [X], shift=2, axis=1)
add("roll", lambda x, shift, axis: np.roll(x, shift, axis), [X], shift=(-1, 13), axis=(0, -1))


def blocks_of(layout):
    """[(letter, block or 1)]: NCHW4c has N, C in blocks of 4, H, W and c."""
    parts, number = [], ""
    for letter in layout:
        if letter.isdigit():
            number += letter
            continue
        parts.append((letter, int(number or 1)))
        number = ""
    return parts


def layout_transform(x, src_layout, dst_layout):
    """Through an array that is indexed by the elements' places in the plain layout."""
    source, target = blocks_of(src_layout), blocks_of(dst_layout)
    block = {p[0].upper(): p[1] for p in source + target if p[0].islower() and p in target}
    extents = {}
    for (letter, size), extent in zip(source, x.shape):
        extents[letter.upper()] = extents.get(letter.upper(), 1) * extent

    def place_in(parts, at):
        sizes = {p[0].upper(): p[1] for p in parts if p[0].islower()}
        return tuple(at[l.upper()] % sizes[l.upper()] if l.islower()
                     else at[l] // sizes.get(l, 1) for l, _ in parts)

    sizes = {p[0].upper(): p[1] for p in target if p[0].islower()}
    shape = [sizes[l.upper()] if l.islower() else -(-extents[l] // sizes.get(l, 1))
             for l, _ in target]
    result = np.zeros(shape, x.dtype)
    for at in itertools.product(*(range(e) for e in extents.values())):
        named = dict(zip(extents, at))
        result[place_in(target, named)] = x[place_in(source, named)]
    return result


for source, target, shape in (("NCHW", "NHWC", (2, 3, 4, 5)), ("NCHW", "NCHW4c", (2, 8, 3, 5)),
                              ("NCHW4c", "NCHW", (2, 2, 3, 5, 4)), ("NHWC", "NCHW2c", (2, 3, 5, 4)),
                              ("NCHW2c", "NCHW4c", (1, 4, 2, 3, 2)),
                              ("OIHW", "OIHW2i4o", (8, 4, 2, 3))):
    add("layout_transform", layout_transform, [random(*shape)], src_layout=source,
        dst_layout=target)

# Rows of planes that fill vectors become pixels of a few channels (topi/cpu/copy.h).
for dtype, width, channels in (("uint8", 64, 8), ("uint8", 224, 4), ("int16", 32, 6), ("float32", 32, 8)):
    whole = integers(2, channels, 3, width, dtype=dtype, low=0, high=100)
    add("layout_transform", layout_transform, [whole], src_layout="NCHW",
        dst_layout="NCHW2c" if channels == 6 else "NCHW4c")

# -- Slices.


def slices(x, begin, end, strides=(1,), axes=(), slice_mode="end"):
    """NumPy's slices. A negative step with an end far below 0 goes to the first element."""
    axes = axes or range(len(begin))
    places = [slice(None)] * x.ndim
    for i, axis in enumerate(axes):
        step = strides[i if len(strides) > 1 else 0]
        first, last = begin[i], end[i]
        if slice_mode == "size":
            step, last = 1, None if end[i] < 0 else begin[i] % x.shape[axis] + end[i]
        elif step < 0 and last < -x.shape[axis]:
            last = None
        places[axis] = slice(first, last, step)
    return tuple(places)


SLICES = ({"begin": (0, 2), "end": (4, -1)}, {"begin": (1,), "end": (100,), "axes": (2,)},
          {"begin": (-3, 0), "end": (100, 5), "strides": (1, 2)},
          {"begin": (-1, 5), "end": (-100, 0), "strides": (-1, -2)},
          {"begin": (3, -4), "end": (0, -7), "strides": (-2, -1), "axes": (0, -2)},
          {"begin": (1, 2, 0), "end": (2, -1, 3), "slice_mode": "size"},
          {"begin": (1, -2, 0), "end": (-2, -100, 3), "strides": (2, -1, 1), "slice_mode": "size"},
          {"begin": (2,), "end": (4,), "strides": (3,), "axes": (1,)})
for attrs in SLICES:
    add("strided_slice", lambda x, **a: x[slices(x, **a)], [X], **attrs)

    def strided_set(x, v, **a):
        y = x.copy()
        y[slices(x, **a)] = v
        return y

    add("strided_set", strided_set, [X, -X[slices(X, **attrs)]], **attrs)
add("slice_like", lambda x, y: x[:4, :4], [random(6, 9), random(4, 4)])
add("slice_like", lambda x, y, axes: x[:, :4], [random(6, 9), random(2, 4)], axes=(1,))
add("slice_like", lambda x, y, axes: x[:, :, :2], [X, random(9, 9, 2)], axes=-1)


def dynamic_slice(x, begin, sizes):
    sizes = [x.shape[d] if s == -1 else s for d, s in enumerate(sizes)]
    first = [min(max(int(b), 0), e - s) for b, s, e in zip(begin, sizes, x.shape)]
    return x[tuple(slice(b, b + s) for b, s in zip(first, sizes))]


for begin in ((1, 2), (-5, 3), (9, 8)):
    add("dynamic_slice", dynamic_slice, [random(6, 9), np.array(begin, "int64")], sizes=(2, 4))
add("dynamic_slice", dynamic_slice, [random(6, 9), np.array([3, 5], "int32")], sizes=(-1, 3))

# -- Frames.


def pairs(width):
    return list(zip(width[::2], width[1::2]))


def pad(x, value=None, pad_width=None, pad_mode="constant"):
    """np.pad, of what negative widths leave of the input."""
    widths = pairs(pad_width)
    x = x[tuple(slice(max(-a, 0), e - max(-b, 0)) for (a, b), e in zip(widths, x.shape))]
    positive = [(max(a, 0), max(b, 0)) for a, b in widths]
    if pad_mode == "constant":
        return np.pad(x, positive, constant_values=0 if value is None else value)
    return np.pad(x, positive, mode=pad_mode)


def torch_pad(mode):
    def call(x, value=None, pad_width=None, pad_mode=None):
        widths = [w for pair in reversed(pairs(pad_width)[1:]) for w in pair]
        return T.nn.functional.pad(x, widths, mode=mode)
    return call


for width in ((0, 1, 2, 3), (1, 0, 0, 0), (-1, 2, 1, -1)):
    add("nn.pad", pad, [random(4, 3), random()], pad_width=width)
add("nn.pad", pad, [random(4, 3)], pad_width=(1, 1, 0, 2))
add("nn.pad", pad, [integers(4, 3, dtype="int8"), np.array(7, "int8")], pad_width=(1, 1, 0, 2))
for mode in ("edge", "reflect", "wrap"):
    for width in ((1, 2, 2, 1), (9, 5, 0, 8), (0, 0, 7, 7)):
        add("nn.pad", pad, [random(4, 3)], pad_width=width, pad_mode=mode)
for mode, name in (("edge", "replicate"), ("reflect", "reflect"), ("wrap", "circular")):
    add("nn.pad", pad, [random(2, 4, 5)], pad_width=(0, 0, 2, 1, 3, 0), pad_mode=mode,
        torch=lambda x, pad_width, pad_mode, n=name: T.nn.functional.pad(
            x[None], [3, 0, 2, 1], mode=n)[0])
for mode in ("SYMMETRIC", "REFLECT"):
    for width in ((1, 2, 2, 1), (3, 0, 0, 2), (1, 2, 3, 7)):
        add("nn.mirror_pad", lambda x, pad_width, mode: np.pad(x, pairs(pad_width),
                                                               mode=mode.lower()),
            [random(4, 3)], pad_width=width, mode=mode)


def dilate(x, strides, dilation_value=0.0):
    y = np.full([(e - 1) * s + 1 for e, s in zip(x.shape, strides)], dilation_value, x.dtype)
    y[tuple(slice(None, None, s) for s in strides)] = x
    return y


add("nn.dilate", dilate, [random(2, 3)], strides=(2, 3))
add("nn.dilate", dilate, [random(4, 3, 2)], strides=(1, 2, 4), dilation_value=0.5)
add("nn.dilate", dilate, [integers(3, dtype="int8")], strides=(3,), dilation_value=-2.0)

# -- Blocks.


def channels_last(function):
    """The same for NHWC."""
    def call(x, layout="NCHW", **attrs):
        if layout == "NCHW":
            return function(x, **attrs)
        return function(x.transpose(0, 3, 1, 2), **attrs).transpose(0, 2, 3, 1)
    return call


@channels_last
def space_to_depth(x, block_size):
    n, c, h, w = x.shape
    b = block_size
    x = x.reshape(n, c, h // b, b, w // b, b).transpose(0, 3, 5, 1, 2, 4)
    return x.reshape(n, b * b * c, h // b, w // b)


@channels_last
def depth_to_space(x, block_size, mode="DCR"):
    n, c, h, w = x.shape
    b = block_size
    if mode == "DCR":
        x = x.reshape(n, b, b, c // b**2, h, w).transpose(0, 3, 4, 1, 5, 2)
    else:
        x = x.reshape(n, c // b**2, b, b, h, w).transpose(0, 1, 4, 2, 5, 3)
    return x.reshape(n, c // b**2, h * b, w * b)


for layout, shape in (("NCHW", (2, 3, 6, 12)), ("NHWC", (2, 6, 12, 3))):
    for block in (2, 3):
        add("nn.space_to_depth", space_to_depth, [random(*shape)], block_size=block, layout=layout)
for layout, shape in (("NCHW", (2, 36, 2, 3)), ("NHWC", (2, 2, 3, 36))):
    for block, mode in itertools.product((2, 3), ("DCR", "CRD")):
        add("nn.depth_to_space", depth_to_space, [random(*shape)], block_size=block, layout=layout,
            mode=mode, torch=(lambda x, block_size, **_: T.nn.functional.pixel_shuffle(
                x, block_size)) if (layout, mode) == ("NCHW", "CRD") else None)


def space_to_batch(x, block_shape, paddings, pad_value=0.0):
    m = len(block_shape)
    x = np.pad(x, [(0, 0)] + pairs(paddings) + [(0, 0)] * (x.ndim - 1 - m),
               constant_values=pad_value)
    shape = [x.shape[0]]
    for extent, block in zip(x.shape[1:], block_shape):
        shape += [extent // block, block]
    x = x.reshape(shape + list(x.shape[1 + m:]))
    inner, outer = [2 + 2 * i for i in range(m)], [1 + 2 * i for i in range(m)]
    x = x.transpose(inner + [0] + outer + list(range(1 + 2 * m, x.ndim)))
    return x.reshape([-1] + list(x.shape[m + 1:]))


def batch_to_space(x, block_shape, crops):
    m = len(block_shape)
    n = x.shape[0] // int(np.prod(block_shape))
    x = x.reshape(list(block_shape) + [n] + list(x.shape[1:]))
    order = [m]
    for i in range(m):
        order += [m + 1 + i, i]
    x = x.transpose(order + list(range(2 * m + 1, x.ndim)))
    extents = [x.shape[1 + 2 * i] * x.shape[2 + 2 * i] for i in range(m)]
    x = x.reshape([n] + extents + list(x.shape[1 + 2 * m:]))
    return x[(slice(None),) + tuple(slice(a, e - b) for (a, b), e in zip(pairs(crops), extents))]


add("nn.space_to_batch_nd", space_to_batch, [random(4, 3, 4, 2)], block_shape=(2, 3),
    paddings=(0, 1, 1, 1))
add("nn.space_to_batch_nd", space_to_batch, [random(2, 4)], block_shape=(2,), paddings=(2, 0),
    pad_value=1.5)
add("nn.batch_to_space_nd", batch_to_space, [random(12, 3, 4, 4)], block_shape=(2, 3),
    crops=(0, 1, 2, 1))
add("nn.batch_to_space_nd", batch_to_space, [random(4, 3)], block_shape=(2,), crops=(1, 0))

# Each element type of what only moves elements.
for dtype in ("bool", "int8", "uint16", "int64", "float16", bfloat16, "float64"):
    x = random(4, 3, dtype=dtype, low=0, high=9)
    add("reshape", lambda x, newshape: x.reshape(newshape), [x], newshape=(2, 6))
    add("transpose", np.transpose, [x], axes=(1, 0))
    add("concatenate", np.concatenate, [[x, x]], axis=1)
    add("strided_slice", lambda x, begin, end: x[1:3], [x], begin=(1,), end=(3,))

test_numpy, test_torch = table.tests()
