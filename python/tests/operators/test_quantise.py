"""Quantised numbers: q stands for scale (q - zero point)."""

import itertools

import numpy as np

from comparison import Table, integers, random
from comparison import torch as T
from windows import convolve, reordered

table = Table()


def f32(value):
    return np.array(value, "float32")


def i32(value):
    return np.array(value, "int32")


def along(parameter, axis, rank):
    """A parameter for each place of a dimension, or one for all."""
    parameter = np.asarray(parameter, "float64")
    if parameter.ndim == 0 or parameter.size == 1:
        return parameter.reshape(())
    shape = [1] * rank
    shape[axis] = -1
    return parameter.reshape(shape)


# Where halves go.
ROUNDED = {"UPWARD": lambda x: np.floor(x + 0.5), "NEAREST_EVEN": np.rint, "None": None,
           "TONEAREST": lambda x: np.sign(x) * np.floor(np.abs(x) + 0.5)}
ROUNDED["None"] = ROUNDED["UPWARD"]


def clipped(x, dtype):
    limits = np.iinfo(dtype)
    return np.clip(x, limits.min, limits.max).astype(dtype)


def quantize(x, scale, zero, axis=-1, out_dtype="int8", rounding="TONEAREST"):
    scale, zero = (along(p, axis, x.ndim) for p in (scale, zero))
    return clipped(ROUNDED[rounding](x / scale) + zero, out_dtype)


def dequantize(q, scale, zero, axis=-1):
    return (q - along(zero, axis, q.ndim)) * along(scale, axis, q.ndim)


def requantize(q, scale, zero, out_scale, out_zero, axis=-1, rounding="None", compute_dtype="None",
               out_dtype="int8"):
    x = dequantize(q, scale, zero, axis) / along(out_scale, axis, q.ndim)
    return clipped(ROUNDED[rounding](x) + along(out_zero, axis, q.ndim), out_dtype)


def fixed_point_multiply(q, multiplier, shift, axis=-1, rounding="TWICE"):
    """Whole numbers of any size: Python's."""
    def one(x, m, s):
        if rounding == "ONCE":
            return (x * m + (1 << (30 - s))) >> (31 - s)
        high = ((x << max(s, 0)) * m + (1 << 30)) >> 31
        right = max(-s, 0)
        half = (1 << right) >> 1
        return (high + half - (1 if high < 0 and right else 0)) >> right
    m, s = (np.broadcast_to(along(p, axis, q.ndim).astype("int64"), q.shape)
            for p in (multiplier, shift))
    return np.vectorize(lambda *x: one(*map(int, x)), otypes=["int32"])(q, m, s)


def dynamic_quantize(x, out_dtype="uint8"):
    least, most = min(x.min(), 0), max(x.max(), 0)
    scale = (most - least) / 255
    bottom = -128 if out_dtype == "int8" else 0
    by = scale or 1.0
    zero = clipped(np.rint(bottom - least / by), out_dtype)
    return [clipped(np.rint(x / by) + zero, out_dtype), np.float64(scale), zero]


# Halves of each sign, and what is out of range. The scale is a power of 2, so halves are exact.
HALVES = f32([-1.25, -0.75, -0.25, 0.25, 0.75, 1.25, 0.3, 100, -100, 0])
for rounding, out in itertools.product(("TONEAREST", "UPWARD", "NEAREST_EVEN"),
                                       ("int8", "uint8", "int16", "uint16", "int32")):
    table.add("qnn.quantize", quantize, [HALVES, f32(0.5), i32(3)], rounding=rounding,
              out_dtype=out)
    if out != "uint16":
        q = np.array([-3, -2, -1, 0, 1, 2, 3, 99, -99], "int32")
        for compute in ("None", "float32", "float64"):
            table.add("qnn.requantize", requantize, [q, f32(0.25), i32(0), f32(0.5), i32(-1)],
                      rounding=rounding, out_dtype=out, compute_dtype=compute)
table.add("qnn.quantize", quantize, [HALVES, f32(0.5), i32(0)])


def torch_quantize(x, scale, zero, axis, **_):
    return T.quantize_per_channel(x, scale, zero, axis % x.ndim, T.quint8).int_repr()


# Each channel has its own.
X = random(2, 3, 5, low=-3, high=3)
for axis, n in ((0, 2), (1, 3), (-1, 5)):
    scale, zero = random(n, low=0.05, high=0.1), integers(n)
    table.add("qnn.quantize", quantize, [X, scale, zero], axis=axis, out_dtype="uint8")
    # PyTorch's rounding.
    table.add("qnn.quantize", quantize, [X, scale, np.abs(zero)], axis=axis, out_dtype="uint8",
              rounding="NEAREST_EVEN", torch=torch_quantize)
    q = integers(2, 3, 5, dtype="int8", low=-100, high=100)
    table.add("qnn.dequantize", dequantize, [q, scale, zero], axis=axis, result="float32")
    table.add("qnn.requantize", requantize, [q, scale, zero, f32(0.13), i32(2)], axis=axis)
    table.add("qnn.requantize", requantize, [q, scale, zero, scale[::-1].copy(), zero[::-1].copy()],
              axis=axis)
for dtype in ("int8", "uint8", "int16", "int32"):
    q = integers(20, dtype=dtype, low=0, high=100)
    table.add("qnn.dequantize", dequantize, [q, f32(0.25), i32(7)], result="float32",
              torch=lambda q, s, z: (q.float() - z) * s)
for dtype in ("uint8", "int8"):
    for x in (X, np.abs(X), -np.abs(X), np.zeros((2, 3), "float32")):
        table.add("qnn.dynamic_quantize", dynamic_quantize, [x], out_dtype=dtype)
# The numbers of ONNX's test, of which one is halfway between two results in float64 only.
table.add("qnn.dynamic_quantize", lambda x: [np.array([153, 255, 0, 26, 221, 179], "uint8"),
                                             f32(5) / f32(255), np.array(153, "uint8")],
          [f32([0, 2, -3, -2.5, 1.34, 0.5])])
table.add("qnn.dynamic_quantize", dynamic_quantize, [X])
# Halves of each sign after the first and after the second rounding.
SUMS = np.array([-6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 99999, -99999, 2**22, -2**22], "int32")
for shift in (-31, -8, -2, -1, 0, 1, 6):
    for multiplier in (2**30, 2**30 + 1, 1518500250, 2**31 - 1):
        table.add("qnn.fixed_point_multiply", fixed_point_multiply,
                  [SUMS, i32(multiplier), i32(shift)])
        table.add("qnn.fixed_point_multiply", fixed_point_multiply,
                  [SUMS, i32(multiplier), i32(shift)], rounding="ONCE")
table.add("qnn.fixed_point_multiply", fixed_point_multiply,
          [integers(4, 3, 5, low=-99999, high=99999, dtype="int32"),
           i32([2**30, 1300000000, 2**31 - 1]), i32([-9, 0, 2])], axis=1)
table.add("qnn.fixed_point_multiply", fixed_point_multiply,
          [SUMS.astype("int64"), np.int64(2**30 + 7), np.int64(-3)])


def arithmetic(function):
    def call(a, b, a_scale, a_zero, b_scale, b_zero, scale, zero, lhs_axis=-1, rhs_axis=-1):
        real = function(dequantize(a, a_scale, a_zero, lhs_axis),
                        dequantize(b, b_scale, b_zero, rhs_axis))
        return clipped(ROUNDED["UPWARD"](real / scale) + zero, a.dtype)
    return call


for op, function in (("qnn.add", np.add), ("qnn.mul", np.multiply)):
    for dtype in ("int8", "uint8", "int16"):
        low = 0 if dtype == "uint8" else -100
        a = integers(4, 7, dtype=dtype, low=low, high=100)
        b = integers(4, 7, dtype=dtype, low=low, high=100, seed=1)
        parameters = [f32(0.25), i32(3), f32(0.5), i32(-5), f32(1.0), i32(2)]
        table.add(op, arithmetic(function), [a, b] + parameters)
        table.add(op, arithmetic(function), [a, b[:1]] + parameters)
    table.add(op, arithmetic(function), [
        integers(2, 3, 5, dtype="int8"), integers(3, 1, dtype="int8"), random(3, low=0.1, high=1),
        integers(3), random(3, low=0.1, high=1, seed=1), integers(3, seed=1), f32(0.377), i32(1)],
        lhs_axis=1, rhs_axis=0)


def concatenate(scale, zero, parts, axis):
    return np.concatenate([requantize(*parts[i:i + 3], scale, zero, out_dtype=parts[i].dtype)
                           for i in range(0, len(parts), 3)], axis)


table.add("qnn.concatenate", concatenate,
          [f32(0.5), i32(-3), [integers(2, 3, dtype="int8"), f32(0.25), i32(1),
                               integers(2, 2, dtype="int8"), f32(1.0), i32(-2)]], axis=1)
table.add("qnn.concatenate", concatenate,
          [f32(0.3), i32(7), [integers(1, 3, dtype="uint8", low=0), f32(0.3), i32(7),
                              integers(2, 3, dtype="uint8", low=0), f32(0.11), i32(0)]], axis=-2)

# -- Products, of the numbers without their zero points.


def wide(q, zero, axis=-1):
    return q.astype("int64") - along(zero, axis, q.ndim).astype("int64")


def dense(x, w, x_zero, w_zero, x_scale, w_scale, units=0, out_dtype="int32"):
    assert units in (0, w.shape[0])
    return (wide(x, x_zero) @ wide(w, w_zero, 0).T).astype(out_dtype)


def matmul(a, b, a_zero, b_zero, a_scale, b_scale, out_dtype="int32"):
    return (wide(a, a_zero) @ wide(b, b_zero)).astype(out_dtype)


def conv2d(x, w, x_zero, w_zero, x_scale, w_scale, kernel_size=(), channels=0, strides=1, padding=0,
           dilation=1, groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout="",
           out_dtype="int32"):
    """The frame is the zero point, which is 0 once it is subtracted."""
    x, w = reordered(x, data_layout, "NCHW"), reordered(w, kernel_layout, "OIHW")
    y = convolve(wide(x, x_zero), wide(w, w_zero, 0), strides, padding, dilation, groups)
    return reordered(y, "NCHW", out_layout or data_layout).astype(out_dtype)


for x_type, w_type in (("uint8", "int8"), ("int8", "int8"), ("uint8", "uint8"), ("int16", "int8")):
    def numbers(*shape, dtype, seed=0):
        return integers(*shape, dtype=dtype, low=0 if dtype == "uint8" else -100, high=100,
                        seed=seed)

    scales = [f32(0.1), f32(0.2)]
    for zeros in ([i32(3), i32(-5)], [i32(128), integers(5)]):
        per_row = [f32(0.1), random(5, low=0.1)] if zeros[1].ndim else scales
        table.add("qnn.dense", dense, [numbers(4, 40, dtype=x_type), numbers(5, 40, dtype=w_type),
                                       *zeros, *per_row])
        table.add("qnn.matmul", matmul, [numbers(2, 3, 40, dtype=x_type),
                                         numbers(40, 5, dtype=w_type), *zeros, *per_row])
        for attrs in ({}, {"padding": (1, 0, 2, 1), "strides": 2}, {"dilation": 2, "padding": 1}):
            table.add("qnn.conv2d", conv2d, [numbers(1, 4, 7, 6, dtype=x_type),
                                             numbers(5, 4, 3, 2, dtype=w_type), *zeros, *per_row],
                      **attrs)
table.add("qnn.dense", dense, [integers(2, 3, 8, dtype="int8"), integers(5, 8, dtype="int8"),
                               i32(1), i32(2), *scales], units=5)
for groups, inputs in ((2, 2), (4, 1)):
    table.add("qnn.conv2d", conv2d, [integers(1, 4, 6, 6, dtype="uint8", low=0),
                                     integers(4, inputs, 3, 3, dtype="int8"), i32(7), integers(4),
                                     f32(0.1), random(4, low=0.1)], groups=groups, padding=1)
table.add("qnn.conv2d", conv2d, [integers(1, 6, 6, 4, dtype="int8"),
                                 integers(3, 3, 4, 5, dtype="int8"), i32(-7), i32(1), *scales],
          data_layout="NHWC", kernel_layout="HWIO", padding=1)

test_numpy, test_torch = table.tests()
