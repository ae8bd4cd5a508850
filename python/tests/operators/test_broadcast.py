"""Functions of several tensors, element by element."""

import numpy as np

from comparison import Table, bfloat16, integers, random
from comparison import torch as T

table = Table()
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
FLOATS = ("float32", "float64", "float16", bfloat16)
# Shapes that are repeated along dimensions of extent 1 and in front.
SHAPES = (((5, 7), (5, 7)), ((4, 1, 7), (3, 1)), ((), (6,)), ((2, 3), (1,)))
SPECIAL = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -2.5], "float32")
LEFT, RIGHT = SPECIAL.repeat(7), np.tile(SPECIAL, 7)
# Integers of each sign, whole and broken quotients.
A = np.array([7, -7, 7, -7, 6, -6, 0, 0, 127, -128, -128, 5], "int8")
B = np.array([2, 2, -2, -2, 3, 3, 5, -5, -1, 1, 7, -128], "int8")


def named(name):
    return lambda a, b: getattr(T, name)(a, b)


def binary(name, reference, types, low=-9, least=None, torch=None):
    """A function of two tensors; those of type `least` are at least that."""
    for dtype in types:
        for one, other in SHAPES if dtype in ("int32", "float32") else SHAPES[:1]:
            below = low if np.dtype(dtype).kind != "u" else 0
            table.add(name, reference, [random(*one, dtype=dtype, low=below, high=9),
                                        random(*other, dtype=dtype, low=below, high=9, seed=1)],
                      torch=torch and named(torch))


def division(name, reference, of_floats, torch=None):
    for dtype in SIGNED:
        table.add(name, reference, [A.astype(dtype), B.astype(dtype)], torch=torch)
    for dtype in UNSIGNED:
        table.add(name, reference, [random(40, dtype=dtype, low=0, high=99),
                                    random(40, dtype=dtype, low=1, high=9, seed=1)])
    for dtype in FLOATS[:2]:
        a, b = A[:8].astype(dtype) * 1.25, B[:8].astype(dtype)
        table.add(name, of_floats, [a, b], torch=torch)
    table.add(name, of_floats, [random(4, 1, 7, low=-9, high=9), random(3, 1, low=1, high=4)],
              torch=torch, rtol=1e-4)


def truncated(a, b):
    wide = np.trunc(a.astype("float64") / b.astype("float64"))
    return wide.astype("int64").astype(a.dtype)


def remainder(a, b):
    return (a.astype("int64") - truncated(a, b).astype("int64") * b.astype("int64")).astype(a.dtype)


def remainder_of_unsigned_too(a, b):
    return a % b if a.dtype.kind == "u" else remainder(a, b)


binary("add", np.add, SIGNED + UNSIGNED + FLOATS, torch=None)
binary("subtract", np.subtract, SIGNED + UNSIGNED + FLOATS)
binary("multiply", np.multiply, SIGNED + UNSIGNED + FLOATS)
binary("maximum", np.maximum, SIGNED + UNSIGNED + FLOATS)
binary("minimum", np.minimum, SIGNED + UNSIGNED + FLOATS)
for name, torch in (("add", "add"), ("subtract", "sub"), ("multiply", "mul"),
                    ("maximum", "maximum"), ("minimum", "minimum")):
    table.add(name, getattr(np, name), [LEFT, RIGHT], torch=named(torch))
    # Integers wrap around.
    table.add(name, getattr(np, name), [A, A[::-1].copy()])
for name, torch in (("equal", "eq"), ("not_equal", "ne"), ("less", "lt"), ("less_equal", "le"),
                    ("greater", "gt"), ("greater_equal", "ge")):
    binary(name, getattr(np, name), ("int8", "uint8", "int64", "float32", "float16", bfloat16),
           low=-3)
    table.add(name, getattr(np, name), [LEFT, RIGHT], torch=named(torch))
    table.add(name, getattr(np, name), [np.array([2**63 - 1, 2**63, 0], "uint64"),
                                        np.array([2**63, 2**63 - 1, 2**64 - 1], "uint64")])
BOOLS = random(5, 7, dtype=bool), random(7, dtype=bool, seed=1)
for name in ("equal", "not_equal", "logical_and", "logical_or", "logical_xor"):
    table.add(name, getattr(np, name), list(BOOLS))
for name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
    binary(name, getattr(np, name), SIGNED + UNSIGNED, low=-100, torch=None)
    table.add(name, getattr(np, name), [A, B], torch=named(name))
for dtype in SIGNED + UNSIGNED:
    table.add("left_shift", np.left_shift, [A.astype(dtype), np.arange(12).astype(dtype) % 8])
    table.add("right_shift", np.right_shift, [A.astype(dtype), np.arange(12).astype(dtype) % 8])
table.add("left_shift", np.left_shift, [integers(3, 1, low=0), integers(4, low=0, high=31)],
          torch=lambda a, b: T.bitwise_left_shift(a, b))

division("divide", truncated, np.true_divide,
         lambda a, b: T.div(a, b, rounding_mode=None if a.is_floating_point() else "trunc"))
division("trunc_divide", truncated, lambda a, b: np.trunc(a / b),
         lambda a, b: T.div(a, b, rounding_mode="trunc"))
division("floor_divide", np.floor_divide, np.floor_divide,
         lambda a, b: T.div(a, b, rounding_mode="floor"))
division("mod", remainder_of_unsigned_too, np.fmod, lambda a, b: T.fmod(a, b))
division("trunc_mod", remainder_of_unsigned_too, np.fmod, lambda a, b: T.fmod(a, b))
division("floor_mod", np.mod, np.mod, lambda a, b: T.remainder(a, b))
for name, reference in (("divide", np.true_divide), ("trunc_mod", np.fmod), ("mod", np.fmod),
                        ("floor_mod", np.mod)):
    table.add(name, reference, [LEFT, RIGHT])
# Quotients of any size are exact in 64 bits, and remainders of floats keep the divisor's sign.
LARGE = np.array([2**62 + 1, -2**62 - 1, 2**63 - 1, -2**63], "int64")
for name, reference in (("divide", lambda a, b: np.where((a < 0) & (a % 3 != 0), a // b + 1, a // b)),
                        ("floor_divide", np.floor_divide), ("floor_mod", np.mod)):
    table.add(name, reference, [LARGE, np.full(4, 3, "int64")])
table.add("floor_mod", np.mod, [np.array([-1e-9, 1e-9, 5.5, -5.5], "float32"),
                                np.array([3.0, -3.0, -2.0, 2.0], "float32")])

for dtype in FLOATS:
    table.add("power", np.power, [random(5, 7, dtype=dtype, low=0.1, high=3),
                                  random(7, dtype=dtype, low=-2, high=2, seed=1)])
    table.add("atan2", np.arctan2, [random(5, 7, dtype=dtype), random(7, dtype=dtype, seed=1)])
table.add("power", np.power, [LEFT, RIGHT], torch=named("pow"))
table.add("power", np.power, [np.array([-2, -2, -8, 0, 0, 2], "float32"),
                              np.array([3, -2, 1 / 3, 0, -1, 127], "float32")], torch=named("pow"))
table.add("atan2", np.arctan2, [LEFT, RIGHT], torch=named("atan2"))

for dtype in SIGNED + UNSIGNED + FLOATS + (bool,):
    low = -9 if np.dtype(dtype).kind not in "u" else 0
    table.add("where", np.where, [BOOLS[0], random(5, 7, dtype=dtype, low=low, high=9),
                                  random(7, dtype=dtype, low=low, high=9, seed=1)], exact=True)
table.add("where", np.where, [random(4, 1, dtype=bool), random(), random(3)],
          torch=lambda c, x, y: T.where(c, x, y))
table.add("where", np.where, [np.arange(7) % 2 == 0, SPECIAL, np.zeros(7, "float32")], exact=True)

test_numpy, test_torch = table.tests()
