"""Pools: one element of each window."""

import itertools

import numpy as np

from comparison import Table, bfloat16, integers, random
from comparison import torch as T
from windows import SPACE, each, frame, reordered

table = Table()


def extents(x, kernel, strides, padding, dilation, ceil_mode):
    """The number of windows of each dimension. With ceil_mode a last window that is not whole
    counts if it begins inside of the input or the frame before it."""
    result = []
    for e, k, s, d, (a, b) in zip(x.shape[2:], kernel, strides, dilation, padding):
        left = e + a + b - d * (k - 1) - 1
        count = (-(-left // s) if ceil_mode else left // s) + 1
        if ceil_mode and (count - 1) * s >= e + a:
            count -= 1
        result.append(count)
    return result


def pool(n, function):
    """`function`: (the window's elements that are in the input, how many places of the window are
    in the input or its frame) -> an element."""
    def call(x, pool_size=1, strides=1, dilation=1, padding=0, layout=None, out_layout="",
             ceil_mode=False, **attrs):
        plain = "NC" + SPACE[n]
        x = reordered(x, layout or plain, plain)
        kernel, strides, dilation = each(pool_size, n), each(strides, n), each(dilation, n)
        padding = frame(padding, n)
        outs = extents(x, kernel, strides, padding, dilation, ceil_mode)
        y = np.zeros(list(x.shape[:2]) + outs, x.dtype)
        for place in itertools.product(*map(range, outs)):
            taps = [[p * s - a + i * d for i in range(k)] for p, s, k, d, (a, _) in
                    zip(place, strides, kernel, dilation, padding)]
            framed = np.prod([sum(t < e + b for t in ts) for ts, e, (_, b) in
                              zip(taps, x.shape[2:], padding)])
            inside = [[t for t in ts if 0 <= t < e] for ts, e in zip(taps, x.shape[2:])]
            part = x[(slice(None), slice(None)) + np.ix_(*inside)]
            y[(slice(None), slice(None)) + place] = function(
                part.reshape(part.shape[0], part.shape[1], -1), framed, **attrs)
        return reordered(y, plain, out_layout or layout or plain)
    return call


def greatest(part, framed):
    return part.max(-1)


def indices(maxima):
    """Where the elements stand that a maximum pool gives; no two of them are equal."""
    def call(x, **attrs):
        order = np.argsort(x, axis=None)
        return order[np.searchsorted(x.ravel(), maxima(x, **attrs), sorter=order)]
    return call


def mean(part, framed, count_include_pad=False):
    return part.sum(-1) / (framed if count_include_pad else part.shape[-1])


def p_norm(part, framed, p=2):
    return (np.abs(part) ** p).sum(-1) ** (1 / p)


def torch_pool(name, n, dilates):
    """PyTorch has symmetric padding only."""
    def call(x, pool_size=1, strides=1, dilation=1, padding=0, **attrs):
        if dilates:
            attrs["dilation"] = each(dilation, n)
        return getattr(T.nn.functional, f"{name}_pool{n}d")(
            x, each(pool_size, n), each(strides, n), [a for a, _ in frame(padding, n)], **attrs)
    return call


SHAPES = {1: (2, 3, 10), 2: (2, 3, 9, 8), 3: (1, 2, 5, 6, 7)}
ODD = {1: (1, 0), 2: (1, 0, 0, 1), 3: (0, 1, 0, 1, 1, 1)}
CASES = ({"pool_size": 2, "strides": 2}, {"pool_size": 3}, {"pool_size": 3, "strides": 2,
                                                            "padding": 1},
         {"pool_size": 3, "strides": 2, "ceil_mode": True},
         {"pool_size": 2, "strides": 3, "padding": 1, "ceil_mode": True},
         {"pool_size": 3, "strides": 3, "padding": 1, "ceil_mode": True})
for n in (1, 2, 3):
    x, s = random(*SHAPES[n]), SPACE[n]
    for attrs in CASES:
        table.add(f"nn.max_pool{n}d", pool(n, greatest), [x], torch=torch_pool("max", n, True),
                  **attrs)
        table.add(f"nn.max_pool{n}d_indices", indices(pool(n, greatest)), [x], **attrs)
        for count in (False, True):
            table.add(f"nn.avg_pool{n}d", pool(n, mean), [x], count_include_pad=count,
                      torch=torch_pool("avg", n, False), **attrs)
        if "ceil_mode" not in attrs:
            for p in (1, 2, 3):
                table.add(f"nn.lp_pool{n}d", pool(n, p_norm), [x], p=p, **attrs)
    table.add(f"nn.max_pool{n}d", pool(n, greatest), [x], pool_size=2, dilation=2, padding=1,
              torch=torch_pool("max", n, True))
    for op, function in (("max", greatest), ("avg", mean), ("lp", p_norm)):
        name = f"nn.{op}_pool{n}d"
        table.add(name, pool(n, function), [x], pool_size=(2, 3, 2)[:n], strides=(1, 2, 3)[:n],
                  padding=ODD[n])
        table.add(name, pool(n, function), [x], pool_size=2, dilation=(2, 1, 3)[:n], padding=ODD[n])
        table.add(name, pool(n, function), [reordered(x, f"NC{s}", f"N{s}C")], pool_size=2,
                  strides=2, layout=f"N{s}C")
    table.add(f"nn.max_pool{n}d_indices", indices(pool(n, greatest)),
              [reordered(x, f"NC{s}", f"N{s}C")], pool_size=2, dilation=(2, 1, 3)[:n],
              padding=ODD[n], layout=f"N{s}C")
    table.add(f"nn.avg_pool{n}d", pool(n, mean), [x], pool_size=3, strides=2, padding=ODD[n],
              count_include_pad=True, ceil_mode=True)
    table.add(f"nn.max_pool{n}d", pool(n, greatest), [integers(*SHAPES[n], dtype="int8")],
              pool_size=2, padding=1)
    table.add(f"nn.max_pool{n}d", pool(n, greatest), [integers(*SHAPES[n], dtype="uint8", low=0)],
              pool_size=2, padding=1)
    for op, function in (("max", greatest), ("avg", mean)):
        for layout in (f"NC{s}", f"N{s}C"):
            def whole(x, layout, f=function, n=n):
                axis = layout.index("C")
                rows = np.moveaxis(x, axis, 1).reshape(x.shape[0], x.shape[axis], -1)
                shape = [1] * x.ndim
                shape[0], shape[axis] = x.shape[0], x.shape[axis]
                return f(rows, 0).reshape(shape)

            table.add(f"nn.global_{op}_pool{n}d", whole, [reordered(x, f"NC{s}", layout)],
                      layout=layout)

        def adaptive(x, output_size=(), layout=None, f=function, n=n):
            plain = "NC" + SPACE[n]
            x = reordered(x, layout or plain, plain)
            outs = each(output_size, n) if output_size else x.shape[2:]
            y = np.zeros(list(x.shape[:2]) + list(outs), x.dtype)
            for place in itertools.product(*map(range, outs)):
                part = x[(slice(None), slice(None)) + tuple(
                    slice(i * e // m, -(-(i + 1) * e // m))
                    for i, e, m in zip(place, x.shape[2:], outs))]
                y[(slice(None), slice(None)) + place] = f(part.reshape(*part.shape[:2], -1), 0)
            return reordered(y, plain, layout or plain)

        def torch_adaptive(x, output_size, op=op, n=n):
            return getattr(T.nn.functional, f"adaptive_{op}_pool{n}d")(x, each(output_size, n))

        name = f"nn.adaptive_{op}_pool{n}d"
        for size in (1, 3, (4, 3, 2)[:n], (7,) * n):
            table.add(name, adaptive, [x], output_size=size, torch=torch_adaptive)
        table.add(name, adaptive, [x])
        table.add(name, adaptive, [reordered(x, f"NC{s}", f"N{s}C")], output_size=3,
                  layout=f"N{s}C")
        if op == "max":
            for size in ((), 1, (4, 3, 2)[:n]):
                table.add(name + "_indices", indices(adaptive), [x], output_size=size)
            table.add(name + "_indices", indices(adaptive), [reordered(x, f"NC{s}", f"N{s}C")],
                      output_size=3, layout=f"N{s}C")
for dtype in ("float64", "float16", bfloat16):
    x = random(1, 2, 6, 6, dtype=dtype)
    table.add("nn.max_pool2d", pool(2, greatest), [x], pool_size=2, strides=2)
    table.add("nn.avg_pool2d", pool(2, mean), [x], pool_size=2, strides=2)
BLOCKS = random(2, 2, 6, 5, 4)


def on_blocks(function):
    """NCHW4c: the last dimension is a part of the channels."""
    def call(x, layout, **attrs):
        n, blocks, h, w, c = x.shape
        y = function(x.transpose(0, 1, 4, 2, 3).reshape(n, blocks * c, h, w), **attrs)
        return y.reshape(n, blocks, c, *y.shape[2:]).transpose(0, 1, 3, 4, 2)
    return call


for op, function in (("max", greatest), ("avg", mean)):
    table.add(f"nn.{op}_pool2d", on_blocks(pool(2, function)), [BLOCKS], layout="NCHW4c",
              pool_size=3, strides=2, padding=1)
# What is left of infinities: a window without a finite element.
table.add("nn.max_pool1d", pool(1, greatest), [np.array([[[-np.inf, -np.inf, 1, np.inf]]],
                                                        "float32")], pool_size=2, padding=1)
table.add("nn.max_pool1d", pool(1, greatest), [np.array([[[np.nan, 2, 1, np.nan, 0, 0]]],
                                                        "float32")], pool_size=2)


def max_unpool(x, indices, pool_size, strides=(), padding=0, output_size=()):
    kernel = each(pool_size, 2)
    strides = each(strides, 2) if strides else kernel
    size = output_size or [(e - 1) * s - a - b + k for e, s, k, (a, b) in
                           zip(x.shape[2:], strides, kernel, frame(padding, 2))]
    y = np.zeros(list(x.shape[:2]) + [int(np.prod(size))], x.dtype)
    for n, c in itertools.product(*map(range, x.shape[:2])):
        for value, place in zip(x[n, c].ravel(), indices[n, c].ravel()):
            if 0 <= place < y.shape[2]:
                y[n, c, place] = value
    return y.reshape(list(x.shape[:2]) + list(size))


def pooled(shape, kernel, strides, padding):
    """A maximum pool's results and places."""
    x = random(*shape)
    outs = extents(x, kernel, strides, padding, (1, 1), False)
    values, places = np.zeros((2, *shape[:2], *outs))
    for at in itertools.product(*map(range, values.shape)):
        ys, xs = [[p * s - a + i for i in range(k) if 0 <= p * s - a + i < e] for p, s, k, e, (a, _)
                  in zip(at[2:], strides, kernel, shape[2:], padding)]
        values[at], places[at] = max((x[at[0], at[1], i, j], i * shape[3] + j)
                                     for i in ys for j in xs)
    return values.astype("float32"), places.astype("int64")


def torch_unpool(x, indices, pool_size, strides=(), padding=0, output_size=()):
    return T.nn.functional.max_unpool2d(x, indices, pool_size, strides or None, padding,
                                        output_size or None)


for shape, attrs in (((2, 3, 6, 8), {"pool_size": (2, 2)}),
                     ((1, 2, 7, 7), {"pool_size": (3, 3), "strides": (2, 2)}),
                     ((1, 2, 6, 6), {"pool_size": (2, 2), "padding": (1, 1)}),
                     ((1, 2, 7, 9), {"pool_size": (2, 2), "output_size": (7, 9)})):
    args = pooled(shape, attrs["pool_size"], attrs.get("strides", attrs["pool_size"]),
                  frame(attrs.get("padding", 0), 2))
    table.add("nn.max_unpool2d", max_unpool, list(args), torch=torch_unpool, **attrs)
table.add("nn.max_unpool2d", max_unpool, [random(1, 1, 2, 2), np.array([[[[-1, 3], [3, 99]]]],
                                                                       "int32")], pool_size=(2, 2))

test_numpy, test_torch = table.tests()
