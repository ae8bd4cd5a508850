"""Functions of one tensor, element by element."""

import math

import numpy as np

from comparison import Table, bfloat16, integers, random
from comparison import torch as T

table = Table()
erf = np.vectorize(math.erf, otypes=["float64"])
SPECIAL = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 1e-30, -1e30, 3e4], "float32")
HALVES = np.array([-2.5, -1.5, -0.5, -0.49999997, 0.49999997, 0.5, 1.5, 2.5, 8388607.5, 1e20],
                  "float32")


def function(name, reference, low=-3.0, high=3.0, special=True, torch=None, **attrs):
    """A function of floats of any type; `special`: also of infinities and NaN."""
    inputs = [random(5, 7, dtype=dtype, low=low, high=high)
              for dtype in ("float32", "float64", "float16", bfloat16)]
    for x in inputs + ([SPECIAL] if special else []):
        table.add(name, reference, [x], torch=torch, **attrs)


def named(name):
    """PyTorch's function of this name."""
    return lambda x: getattr(T, name)(x)


for name in ("exp", "exp2", "expm1", "sin", "cos", "tan", "sinh", "cosh", "tanh", "square"):
    function(name, getattr(np, name), torch=named(name))
for name in ("log", "log2", "log10", "log1p", "sqrt"):
    function(name, getattr(np, name), low=0.05, high=9.0, torch=named(name))
for name, reference in (("asin", np.arcsin), ("acos", np.arccos), ("atanh", np.arctanh)):
    function(name, reference, low=-0.95, high=0.95, torch=named(name))
function("atan", np.arctan, torch=named("atan"))
function("asinh", np.arcsinh, torch=named("asinh"))
function("acosh", np.arccosh, low=1.01, high=9.0, torch=named("acosh"))
function("rsqrt", lambda x: 1 / np.sqrt(x), low=0.05, high=9.0, torch=named("rsqrt"))
function("reciprocal", lambda x: 1 / x, low=0.1, high=9.0, torch=named("reciprocal"))
function("erf", erf, torch=named("erf"))
function("sigmoid", lambda x: 1 / (1 + np.exp(-x)), torch=named("sigmoid"))
for x, other in ((SPECIAL, "int32"), (integers(7, dtype="int64"), "float64")):
    table.add("lathe.reinterpret", lambda x, dtype: x.view(dtype), [x], dtype=other, exact=True)

# Functions that integers have, too.
ROUNDINGS = {"ceil": np.ceil, "floor": np.floor, "trunc": np.trunc, "rint": np.rint,
             "round": lambda x: np.sign(x) * np.floor(np.abs(x) + 0.5)}
for name, reference in ROUNDINGS.items():
    table.add(name, lambda x: x, [integers(7, dtype="int8")])
    for x in (HALVES, SPECIAL, HALVES[:-2].astype("float16"), HALVES[:-2].astype(bfloat16),
              HALVES.astype("float64")):
        # torch.round is our rint; it has no round that leaves 0.
        other = {"rint": "round", "round": None}.get(name, name)
        table.add(name, reference, [x], torch=other and named(other))
for dtype in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32",
              "float16", bfloat16):
    signed = np.dtype(dtype).kind != "u"
    x = random(33, dtype=dtype, low=-9 if signed else 0, high=9)
    for name, reference in (("abs", np.abs), ("negative", np.negative), ("sign", np.sign),
                            ("square", np.square)):
        table.add(name, reference, [x])
    for name in ("isnan", "isinf", "isfinite"):
        table.add(name, getattr(np, name), [x])
    table.add("clip", lambda a, a_min, a_max: np.minimum(np.maximum(a, a_min), a_max)
              .astype(a.dtype), [x], a_min=2.0, a_max=5.0)
    table.add("copy", lambda x: x, [x], exact=True)
    table.add("zeros_like", np.zeros_like, [x], exact=True)
    table.add("ones_like", np.ones_like, [x], exact=True)
    table.add("identity", lambda x: x, [x], exact=True)
    table.add("stop_gradient", lambda x: x, [x], exact=True)
    table.add("optimization_barrier", lambda x: x, [x], exact=True)
    if np.dtype(dtype).kind in "iu":
        table.add("bitwise_not", np.invert, [x])
LEAST = np.array([-128, 127, 0, -1, 1], "int8")
for name, reference in (("abs", np.abs), ("negative", np.negative), ("sign", np.sign),
                        ("square", np.square), ("bitwise_not", np.invert)):
    table.add(name, reference, [LEAST])
for name, reference in (("abs", np.abs), ("negative", np.negative), ("sign", np.sign),
                        ("isnan", np.isnan), ("isinf", np.isinf), ("isfinite", np.isfinite)):
    # The sign of NaN is NaN in NumPy and ONNX, and 0 in PyTorch.
    other = None if name == "sign" else named(name)
    table.add(name, reference, [SPECIAL], torch=other)
    table.add(name, reference, [SPECIAL.astype("float16")], torch=other)
    table.add(name, reference, [SPECIAL.astype(bfloat16)], torch=other)


def clip(a, a_min, a_max):
    return np.minimum(np.maximum(a, a_min), a_max)


table.add("clip", clip, [SPECIAL], a_min=-0.5, a_max=2.25)
for x, low, high in ((LEAST, -1000.0, 3.0), (LEAST, -1.5, 2.5), (LEAST, -1e30, 1e30),
                     (LEAST.view("uint8"), -3.0, 200.0)):
    # A fraction counts inwards, so that the result is between the bounds.
    table.add("clip", lambda a, a_min, a_max: np.clip(
        a.astype("float64"), np.ceil(a_min), np.floor(a_max)).astype(a.dtype),
        [x], a_min=low, a_max=high)
BOOLS = random(9, dtype=bool)
table.add("logical_not", np.logical_not, [BOOLS])
for name in ("copy", "identity"):
    table.add(name, lambda x: x, [BOOLS])
table.add("zeros_like", np.zeros_like, [BOOLS])
table.add("ones_like", np.ones_like, [BOOLS])

# Casts: integers wrap, floats are truncated, halves and NaN become true.
TYPES = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
NUMBERS = np.array([0, 1, 2, 5, 100, 127, 128, 129, 200, 255, 256, 300, 32767, 65535, 65536,
                    2**31 - 1], "int64")
for source in TYPES:
    for target in TYPES:
        x = np.concatenate([NUMBERS, -NUMBERS]).astype(source)
        table.add("cast", lambda x, dtype: x.astype(dtype), [x], dtype=target)
for source in ("float32", "float64", "float16", bfloat16):
    x = np.array([0.0, 0.9, -0.9, 1.5, -1.5, 2.5, 99.99, -99.99, 127.0, -128.0]).astype(source)
    for target in ("int8", "int16", "int32", "int64"):
        table.add("cast", lambda x, dtype: np.trunc(x).astype(dtype), [x], dtype=target)
    for target in ("uint8", "uint32", "uint64"):
        table.add("cast", lambda x, dtype: np.trunc(x).astype(dtype), [np.abs(x)], dtype=target)
    table.add("cast", lambda x, dtype: x != 0, [SPECIAL.astype(source)], dtype="bool")
    for target in ("float32", "float64", "float16", "bfloat16"):
        # Halfway between neighbours of float16 and bfloat16: to the even one.
        y = np.array([1 + 2**-11, 1 + 3 * 2**-11, 1 + 2**-8, 1 + 3 * 2**-8, 65519.0, 65520.0, 6e-8,
                      np.nan, np.inf, -np.inf, -0.0, 1e-40, 1e39]).astype(source)
        table.add("cast", lambda x, dtype: x.astype(dtype), [y], dtype=target, exact=True)
        table.add("cast", lambda x, dtype: x.astype(dtype), [LEAST], dtype=target, exact=True)
        table.add("cast", lambda x, dtype: x.astype(dtype), [BOOLS], dtype=target, exact=True)
table.add("cast", lambda x, dtype: x.astype(dtype), [BOOLS], dtype="int32")
table.add("cast", lambda x, dtype: x != 0, [LEAST], dtype="bool")
table.add("cast", lambda x, dtype: x.astype("float32"),
          [np.array([2**24 + 1, 2**31 - 1, -2**31, 2**53 + 1, 2**63 - 1], "int64")],
          dtype="float32", exact=True)

test_numpy, test_torch = table.tests()
