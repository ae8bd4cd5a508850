"""Lesson 4: a convolution: padding, stages computed where they are needed, values computed again."""

import numpy as np

import lathe
from lathe import te

channels, filters, size, window = 8, 16, 32, 3

image = te.placeholder((channels, size, size), name="image")
weight = te.placeholder((filters, channels, window, window), name="weight")

padded = te.compute(
    (channels, size + 2, size + 2),
    lambda c, y, x: te.if_then_else(
        te.all(y >= 1, y < size + 1, x >= 1, x < size + 1), image[c, y - 1, x - 1], 0.0),
    name="padded")
rc = te.reduce_axis((0, channels), name="rc")
ry = te.reduce_axis((0, window), name="ry")
rx = te.reduce_axis((0, window), name="rx")
conv = te.compute(
    (filters, size, size),
    lambda f, y, x: te.sum(padded[rc, y + ry, x + rx] * weight[f, rc, ry, rx], axis=[rc, ry, rx]),
    name="conv")
relu = te.compute(conv.shape, lambda f, y, x: lathe.tir.max(conv[f, y, x], 0.0),
                  name="relu")

pixels = np.random.rand(channels, size, size).astype("float32") - 0.5
filter_values = np.random.rand(filters, channels, window, window).astype("float32") - 0.5

wide = np.pad(pixels, ((0, 0), (1, 1), (1, 1)))
expected = np.zeros((filters, size, size), "float32")
for dy in range(window):
    for dx in range(window):
        part = wide[:, dy:dy + size, dx:dx + size]
        expected += np.einsum("cyx,fc->fyx", part, filter_values[:, :, dy, dx])
expected = np.maximum(expected, 0)


def check(what, schedule):
    function = lathe.build(schedule, [image, weight, relu], "llvm", name="conv")
    out = np.zeros(expected.shape, "float32")
    function(pixels, filter_values, out)
    np.testing.assert_allclose(out, expected, atol=1e-4)
    seconds = function.time_evaluator("conv", lathe.cpu(), number=3)(
        lathe.nd.array(pixels), lathe.nd.array(filter_values), lathe.nd.empty(out.shape)).mean
    print(f"{what:<44} {seconds * 1e3:7.2f} ms")


s = te.create_schedule(relu.op)
check("every stage by itself", s)

# The padding is computed where it is read; the maximum is computed while the sum is still in the
# cache.
s = te.create_schedule(relu.op)
s[padded].compute_inline()
f, y, x = relu.op.axis
s[conv].compute_at(s[relu], y)
check("padding inlined, rows of the sum at the maximum", s)

# Rows of pixels as vectors, innermost.
cf, cy, cx = s[conv].op.axis
s[conv].reorder(rc, ry, rx, cf, cy, cx)
lanes = s[conv].split(cx, factor=8)[1]
s[conv].vectorize(lanes)
check("and vectors along the row", s)

print(lathe.explain(s, [image, weight, relu]))
