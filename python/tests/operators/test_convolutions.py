"""Convolutions of all kinds, as sums over windows."""

import itertools

import numpy as np

from comparison import Table, bfloat16, integers, random
from comparison import torch as T
from windows import SPACE, convolve, each, frame, reordered, windows

table = Table()


def conv(n):
    def call(x, w, strides=1, padding=0, dilation=1, groups=1, channels=0, kernel_size=(),
             data_layout=None, kernel_layout=None, out_layout="", out_dtype=""):
        plain, filters = "NC" + SPACE[n], "OI" + SPACE[n]
        if out_dtype and x.dtype.kind in "iu":
            x, w = x.astype(out_dtype), w.astype(out_dtype)
        data_layout = data_layout or plain
        y = convolve(reordered(x, data_layout, plain), reordered(w, kernel_layout or filters, filters),
                     strides, padding, dilation, groups)
        return reordered(y, plain, out_layout or data_layout)
    return call


def torch_conv(n):
    def call(x, w, strides=1, padding=0, dilation=1, groups=1, **_):
        widths = [p for pair in reversed(frame(padding, n)) for p in pair]
        return getattr(T.nn.functional, f"conv{n}d")(
            T.nn.functional.pad(x, widths), w, None, each(strides, n), 0, each(dilation, n), groups)
    return call


# Each attribute by itself, then several at once.
ATTRS = [{}, {"strides": 2}, {"padding": 1}, {"dilation": 2}, {"strides": 2, "padding": 2,
                                                                 "dilation": 2}]
BY_DIMENSION = {1: [{"padding": (2, 1), "strides": (3,)}],
                2: [{"padding": (0, 2), "strides": (2, 1)}, {"padding": (1, 0, 2, 3),
                                                             "dilation": (1, 2)}],
                3: [{"padding": (0, 1, 1, 2, 0, 1), "strides": (1, 2, 1)}]}
SHAPES = {1: ((2, 4, 11), (6, 4, 3)), 2: ((2, 4, 9, 7), (6, 4, 3, 2)),
          3: ((1, 4, 5, 6, 7), (3, 4, 2, 3, 1))}
for n in (1, 2, 3):
    name, shape, weight = f"nn.conv{n}d", *SHAPES[n]
    x, w = random(*shape), random(*weight)
    for attrs in ATTRS + BY_DIMENSION[n]:
        table.add(name, conv(n), [x, w], torch=torch_conv(n), rtol=1e-4, **attrs)
    for groups, (filters, inputs) in ((2, (6, 2)), (4, (4, 1)), (4, (8, 1))):
        table.add(name, conv(n), [x, random(filters, inputs, *weight[2:])], torch=torch_conv(n),
                  groups=groups, padding=1, rtol=1e-4)
    s = SPACE[n]
    for data, kernel, out in ((f"N{s}C", f"{s}IO", ""), (f"N{s}C", f"O{s}I", f"N{s}C"),
                              (f"NC{s}", f"{s}OI", ""), (f"N{s}C", f"OI{s}", "")):
        table.add(name, conv(n), [reordered(x, f"NC{s}", data), reordered(w, f"OI{s}", kernel)],
                  data_layout=data, kernel_layout=kernel, out_layout=out, padding=1, rtol=1e-4)
    table.add(name, conv(n), [reordered(x, f"NC{s}", f"N{s}C"),
                              reordered(random(4, 1, *weight[2:]), f"OI{s}", f"{s}OI")],
              data_layout=f"N{s}C", kernel_layout=f"{s}OI", groups=4, rtol=1e-4)
    table.add(name, conv(n), [x, w], channels=weight[0], kernel_size=weight[2:], rtol=1e-4)
    for dtype, out in (("int8", "int32"), ("uint8", "int32"), ("int32", "")):
        low = 0 if dtype == "uint8" else -9
        table.add(name, conv(n), [integers(*shape, dtype=dtype, low=low),
                                  integers(*weight, dtype=dtype, low=low)], out_dtype=out,
                  padding=1)
# Sums have the result's type: 16-bit floats are rounded at each step.
for dtype, rtol in (("float16", 2e-2), (bfloat16, 0.2), ("float64", None)):
    table.add("nn.conv2d", conv(2), [random(*SHAPES[2][0], dtype=dtype),
                                     random(*SHAPES[2][1], dtype=dtype)], padding=1, rtol=rtol)

# -- Transposed: each element adds its window to the result.


def conv_transpose(n):
    def call(x, w, strides=1, padding=0, dilation=1, groups=1, channels=0, kernel_size=(),
             data_layout=None, kernel_layout=None, out_layout="", output_padding=0, out_dtype=""):
        plain, filters = "NC" + SPACE[n], "IO" + SPACE[n]
        data_layout = data_layout or plain
        x, w = reordered(x, data_layout, plain), reordered(w, kernel_layout or filters, filters)
        if out_dtype and x.dtype.kind in "iu":
            x, w = x.astype(out_dtype), w.astype(out_dtype)
        strides, dilation = each(strides, n), each(dilation, n)
        kernel, outputs = w.shape[2:], w.shape[1] * groups
        full = [(e - 1) * s + d * (k - 1) + 1 + o for e, s, d, k, o in
                zip(x.shape[2:], strides, dilation, kernel, each(output_padding, n))]
        y = np.zeros([x.shape[0], outputs] + full, x.dtype)
        for place in itertools.product(*map(range, x.shape[2:])):
            for tap in itertools.product(*map(range, kernel)):
                at = tuple(p * s + t * d for p, s, t, d in zip(place, strides, tap, dilation))
                column = x[(slice(None), slice(None)) + place]
                taps = w[(slice(None), slice(None)) + tap]
                y[(slice(None), slice(None)) + at] += np.concatenate(
                    [c @ t for c, t in zip(np.split(column, groups, 1), np.split(taps, groups, 0))],
                    1)
        y = y[(slice(None), slice(None)) + tuple(
            slice(a, e - b) for (a, b), e in zip(frame(padding, n), y.shape[2:]))]
        return reordered(y, plain, out_layout or data_layout)
    return call


def torch_transpose(n):
    def call(x, w, strides=1, padding=0, dilation=1, groups=1, output_padding=0, **_):
        before = [a for a, _ in frame(padding, n)]
        return getattr(T.nn.functional, f"conv_transpose{n}d")(
            x, w, None, each(strides, n), before, each(output_padding, n), groups,
            each(dilation, n))
    return call


TRANSPOSED = {1: ((2, 4, 6), (4, 3, 3)), 2: ((2, 4, 5, 4), (4, 3, 3, 2)),
              3: ((1, 4, 3, 4, 3), (4, 2, 2, 3, 3))}
ASYMMETRIC = {1: (0, 1), 2: (1, 0, 0, 1), 3: (0, 1, 1, 1, 0, 0)}
for n in (1, 2, 3):
    name, (shape, weight), s = f"nn.conv{n}d_transpose", TRANSPOSED[n], SPACE[n]
    x, w = random(*shape), random(*weight)
    for attrs in ({}, {"strides": 2}, {"strides": 3, "padding": 1}, {"dilation": 2},
                  {"strides": 2, "output_padding": 1}, {"strides": 3, "padding": 1, "dilation": 2,
                                                        "output_padding": 2}):
        table.add(name, conv_transpose(n), [x, w], torch=torch_transpose(n), rtol=1e-4, **attrs)
    table.add(name, conv_transpose(n), [x, w], padding=ASYMMETRIC[n], strides=2, rtol=1e-4)
    for groups in (2, 4):
        table.add(name, conv_transpose(n), [x, w], groups=groups, strides=2,
                  torch=torch_transpose(n), rtol=1e-4)
    for data, kernel, out in ((f"N{s}C", f"{s}IO", ""), (f"N{s}C", f"OI{s}", f"N{s}C"),
                              (f"NC{s}", f"{s}OI", "")):
        table.add(name, conv_transpose(n), [reordered(x, f"NC{s}", data),
                                            reordered(w, f"IO{s}", kernel)],
                  data_layout=data, kernel_layout=kernel, out_layout=out, strides=2, rtol=1e-4)
    table.add(name, conv_transpose(n), [integers(*shape, dtype="int8"),
                                        integers(*weight, dtype="int8")], out_dtype="int32")

# -- Windows as columns.


def unfold(x, kernel_size, strides=1, padding=0, dilation=1):
    parts = windows(x, each(kernel_size, 2), strides, padding, dilation)
    n, c, rows, columns, kh, kw = parts.shape
    return parts.transpose(0, 1, 4, 5, 2, 3).reshape(n, c * kh * kw, rows * columns)


def fold(x, output_size, kernel_size, strides=1, padding=0, dilation=1):
    """The transpose of unfold, found by folding each place of the image out."""
    kernel = each(kernel_size, 2)
    channels = x.shape[1] // (kernel[0] * kernel[1])
    places = np.arange(channels * output_size[0] * output_size[1]).reshape(
        1, channels, *output_size) + 1
    sources = unfold(places, kernel, strides, padding, dilation)[0]
    y = np.zeros((x.shape[0], places.size + 1), x.dtype)
    for i in range(x.shape[0]):
        np.add.at(y[i], sources.ravel(), x[i].ravel())
    return y[:, 1:].reshape(x.shape[0], channels, *output_size)


def torch_columns(name):
    return lambda x, output_size=None, kernel_size=1, strides=1, padding=0, dilation=1: getattr(
        T.nn.functional, name)(*([x] if output_size is None else [x, output_size]),
                               kernel_size=kernel_size, stride=strides, padding=padding,
                               dilation=dilation)


IMAGE = random(2, 3, 6, 7)
for attrs in ({"kernel_size": (2, 3)}, {"kernel_size": 2, "strides": 2, "padding": 1},
              {"kernel_size": (3, 2), "dilation": (1, 2), "padding": (2, 1), "strides": (1, 3)}):
    table.add("nn.unfold", unfold, [IMAGE], torch=torch_columns("unfold"), **attrs)
    columns = unfold(IMAGE, **attrs)
    table.add("nn.fold", fold, [random(*columns.shape)], output_size=(6, 7),
              torch=torch_columns("fold"), **attrs)
ODD = {"kernel_size": (2, 2), "padding": (0, 1, 2, 0)}
table.add("nn.unfold", unfold, [IMAGE], **ODD)
table.add("nn.fold", fold, [random(*unfold(IMAGE, **ODD).shape)], output_size=(6, 7), **ODD)

# -- Channels in blocks: [n, C / c, h, w, c].


def unblocked(x):
    n, blocks, *space, c = x.shape
    return np.moveaxis(x, -1, 2).reshape([n, blocks * c] + space)


def blocked(y, o):
    n, channels, *space = y.shape
    return np.moveaxis(y.reshape([n, channels // o, o] + space), 2, -1)


def conv_blocked(x, w, strides=1, padding=0, dilation=1):
    """w [O / o, C / c, kh, kw, c, o]."""
    o, c = w.shape[5], w.shape[4]
    plain = w.transpose(0, 5, 1, 4, 2, 3).reshape(w.shape[0] * o, w.shape[1] * c, *w.shape[2:4])
    return blocked(convolve(unblocked(x), plain, strides, padding, dilation, 1), o)


def depthwise_blocked(x, w, strides=1, padding=0, dilation=1):
    """w [C / c, kh, kw, c]."""
    plain = w.transpose(0, 3, 1, 2).reshape(-1, 1, *w.shape[1:3])
    return blocked(convolve(unblocked(x), plain, strides, padding, dilation, len(plain)), w.shape[3])


for attrs in ({}, {"strides": 2, "padding": (1, 0, 2, 1)}, {"dilation": 2, "padding": 1}):
    table.add("nn.contrib_conv2d_nchwc", conv_blocked, [random(2, 2, 9, 7, 4),
                                                        random(3, 2, 3, 3, 4, 8)], rtol=1e-4, **attrs)
    table.add("nn.contrib_depthwise_conv2d_nchwc", depthwise_blocked,
              [random(2, 2, 9, 7, 4), random(2, 3, 3, 4)], rtol=1e-4, **attrs)


WINOGRAD = {
    2: np.array([[1, 0, 0], [1 / 2, 1 / 2, 1 / 2], [1 / 2, -1 / 2, 1 / 2], [0, 0, 1]]),
    4: np.array([[1 / 4, 0, 0], [-1 / 6, -1 / 6, -1 / 6], [-1 / 6, 1 / 6, -1 / 6],
                 [1 / 24, 1 / 12, 1 / 6], [1 / 24, -1 / 12, 1 / 6], [0, 0, 1]]),
}


def winograd_weight(w, tile_size=4):
    return np.einsum("er,ocrs,ns->enoc", WINOGRAD[tile_size], w, WINOGRAD[tile_size])


for tile in (2, 4):
    table.add("nn.contrib_conv2d_winograd_weight_transform", winograd_weight, [random(5, 6, 3, 3)],
              rtol=1e-5, tile_size=tile)
    for height, width, frame_of in ((9, 7, 0), (8, 12, 1), (3, 5, (1, 0, 2, 1))):
        plain = random(24, 8, 3, 3)
        kernel = winograd_weight(plain, tile).reshape(tile + 2, tile + 2, 3, 8, 2, 4)
        table.add("nn.contrib_conv2d_winograd_nchwc",
                  lambda x, _, w=plain, padding=0, tile_size=4:
                  blocked(convolve(unblocked(x), w, 1, padding, 1, 1), 8),
                  [random(2, 2, height, width, 4),
                   np.ascontiguousarray(kernel.transpose(0, 1, 2, 4, 5, 3)).astype("float32")],
                  rtol=1e-3, padding=frame_of, tile_size=tile)


def framed(x, padding, value):
    """[n, c, h, w] with a frame (top, left, bottom, right) of `value`."""
    top, left, bottom, right = padding
    return np.pad(x, [(0, 0), (0, 0), (top, bottom), (left, right)], constant_values=value)


def conv_blocked_int8(x, w, strides=1, padding=(0, 0, 0, 0), pad_value=0):
    """w [O / o, C / c, kh, kw, c / 4, o, 4]."""
    plain = w.transpose(0, 5, 1, 4, 6, 2, 3).reshape(w.shape[0] * w.shape[5], -1, *w.shape[2:4])
    return blocked(convolve(framed(unblocked(x).astype(int), padding, pad_value), plain.astype(int), strides, 0, 1, 1),
                   w.shape[5]).astype("int32")


def depthwise_blocked_int8(x, w, padding, pad_value, out_dtype):
    plain = w.transpose(0, 3, 1, 2).reshape(-1, 1, *w.shape[1:3]).astype(int)
    return blocked(convolve(framed(unblocked(x).astype(int), padding, pad_value), plain, 1, 0, 1, len(plain)),
                   w.shape[3]).astype(out_dtype)


for kind, low in (("uint8", 0), ("int8", -128)):
    image = random(2, 2, 9, 7, 16, dtype=kind, low=low, high=low + 256)
    for attrs in ({}, {"strides": 2, "padding": (1, 0, 2, 1), "pad_value": low + 77}):
        table.add("nn.contrib_conv2d_nchwc_int8", conv_blocked_int8,
                  [image, random(3, 2, 3, 3, 4, 16, 4, dtype="int8", low=-128, high=128)], **attrs)
    table.add("nn.contrib_depthwise_conv2d_nchwc", depthwise_blocked_int8,
              [image, random(2, 3, 3, 16, dtype="int8", low=-128, high=128)], padding=(1, 0, 2, 1),
              pad_value=low + 77, out_dtype="int32")

# -- Taps that are moved by offsets.


def bilinear(plane, y, x):
    """Between elements; what is outside is 0."""
    result = 0.0
    for row, column in itertools.product((0, 1), (0, 1)):
        i, j = int(np.floor(y)) + row, int(np.floor(x)) + column
        if 0 <= i < plane.shape[0] and 0 <= j < plane.shape[1]:
            result += plane[i, j] * (1 - abs(y - i)) * (1 - abs(x - j))
    return result


def deformable(x, offset, w, mask=None, strides=1, padding=0, dilation=1, deformable_groups=1,
               groups=1, **_):
    strides, dilation, padding = each(strides, 2), each(dilation, 2), frame(padding, 2)
    n, c, _, _ = x.shape
    kh, kw = w.shape[2:]
    rows, columns = offset.shape[2:]
    taps = np.zeros((n, c, rows, columns, kh, kw))
    for b, k, i, j, u, v in itertools.product(*map(range, taps.shape)):
        t = (k // (c // deformable_groups)) * kh * kw + u * kw + v
        y = i * strides[0] - padding[0][0] + u * dilation[0] + offset[b, 2 * t, i, j]
        z = j * strides[1] - padding[1][0] + v * dilation[1] + offset[b, 2 * t + 1, i, j]
        taps[b, k, i, j, u, v] = bilinear(x[b, k], y, z) * (1 if mask is None else mask[b, t, i, j])
    return np.concatenate([np.einsum("ncxyuv,ocuv->noxy", p, f) for p, f in
                           zip(np.split(taps, groups, 1), np.split(w, groups, 0))], 1)


for attrs, places in (({}, (4, 3)), ({"padding": 1, "strides": 2}, (3, 3)),
                      ({"dilation": (1, 2), "deformable_groups": 2, "padding": (1, 0, 0, 2)},
                       (5, 3)), ({"groups": 2}, (4, 3))):
    parts = attrs.get("deformable_groups", 1)
    filters = random(4, 4 // attrs.get("groups", 1), 3, 3)
    offsets = random(1, parts * 18, *places)
    for mask in (None, random(1, parts * 9, *places, low=0)):
        table.add("nn.deformable_conv2d", deformable, [random(1, 4, 6, 5), offsets, filters, mask],
                  rtol=1e-4, **attrs)

test_numpy, test_torch = table.tests()
