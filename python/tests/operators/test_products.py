"""Products of matrices and sums of products."""

import itertools

import numpy as np

from comparison import Table, bfloat16, integers, random
from comparison import torch as T

table = Table()


def in_type(a, out_dtype):
    """Integers are multiplied and added in the result's type."""
    return a.astype(out_dtype) if out_dtype and a.dtype.kind in "iu" else a


def matmul(a, b, transpose_a=False, transpose_b=False, out_dtype="", units=0):
    a, b = in_type(a, out_dtype), in_type(b, out_dtype)
    a = np.swapaxes(a, -1, -2) if transpose_a else a
    b = np.swapaxes(b, -1, -2) if transpose_b else b
    assert units in (0, b.shape[-1])
    return np.einsum("...ik,...kj->...ij", a, b)


def torch_matmul(a, b, transpose_a=False, transpose_b=False, **_):
    return T.matmul(a.mT if transpose_a else a, b.mT if transpose_b else b)


def batch_matmul(a, b, transpose_a=False, transpose_b=True, out_dtype=""):
    return matmul(a, b, transpose_a, transpose_b, out_dtype)


def torch_batch_matmul(a, b, transpose_a=False, transpose_b=True, **_):
    return torch_matmul(a, b, transpose_a, transpose_b)


def dense(x, w, units=0, out_dtype=""):
    assert units in (0, w.shape[0])
    return np.einsum("...k,jk->...j", in_type(x, out_dtype), in_type(w, out_dtype))


for a, b in itertools.product((False, True), (False, True)):
    shapes = (7, 5) if a else (5, 7), (3, 7) if b else (7, 3)
    table.add("nn.matmul", matmul, [random(*shapes[0]), random(*shapes[1])], transpose_a=a,
              transpose_b=b, torch=torch_matmul)
    for front, other in (((), ()), ((2,), ()), ((4, 1), (2,)), ((), (2, 2))):
        table.add("matmul", matmul, [random(*front, *shapes[0]), random(*other, *shapes[1])],
                  transpose_a=a, transpose_b=b, torch=torch_matmul)
    for batches in ((2, 2), (1, 3), (3, 1)):
        table.add("nn.batch_matmul", batch_matmul, [random(batches[0], *shapes[0]),
                                                    random(batches[1], *shapes[1])],
                  transpose_a=a, transpose_b=b, torch=torch_batch_matmul)
table.add("nn.batch_matmul", batch_matmul, [random(2, 5, 7), random(2, 3, 7)])
table.add("nn.matmul", matmul, [random(5, 7), random(7, 3)], units=3)
table.add("nn.dense", dense, [random(5, 7), random(3, 7)], units=3)
# Sums have the result's type: 16-bit floats are rounded at each step.
for dtype, rtol in (("float32", None), ("float64", None), ("float16", 1e-2), (bfloat16, 0.1)):
    for shape in ((5, 7), (7,), (2, 3, 7)):
        table.add("nn.dense", dense, [random(*shape, dtype=dtype), random(3, 7, dtype=dtype)],
                  torch=lambda x, w: T.nn.functional.linear(x, w), rtol=rtol)
    table.add("nn.matmul", matmul, [random(5, 7, dtype=dtype), random(7, 3, dtype=dtype)],
              rtol=rtol)
    table.add("matmul", matmul, [random(2, 5, 7, dtype=dtype), random(7, 3, dtype=dtype)],
              rtol=rtol)
    table.add("nn.batch_matmul", batch_matmul, [random(2, 5, 7, dtype=dtype),
                                                random(2, 3, 7, dtype=dtype)], rtol=rtol)
for name, reference in (("nn.dense", dense), ("nn.matmul", matmul), ("matmul", matmul)):
    for dtype, out in (("int8", "int32"), ("uint8", "int32"), ("int32", ""), ("int64", ""),
                       ("int8", "")):
        low = 0 if dtype == "uint8" else -100
        w = (5, 40) if name == "nn.dense" else (40, 5)
        table.add(name, reference, [integers(3, 40, dtype=dtype, low=low, high=100),
                                    integers(*w, dtype=dtype, low=low, high=100)], out_dtype=out)
table.add("nn.dense", dense, [random(3, 40, dtype="float16"), random(5, 40, dtype="float16")],
          out_dtype="float32", result="float32")
table.add("dot", np.dot, [random(9), random(9, seed=1)], torch=lambda a, b: T.dot(a, b))
table.add("dot", np.dot, [integers(9), integers(9, seed=1)])
table.add("outer", np.outer, [random(4), random(7)], torch=lambda a, b: T.outer(a, b))
table.add("outer", np.outer, [integers(4, dtype="int64"), integers(7, dtype="int64")])


def pack(x, w):
    """The columns of all panels, side by side, as one matrix."""
    return np.einsum("...k,pkj->...pj", x, w)


table.add("nn.contrib_dense_pack", pack, [random(5, 7), random(3, 7, 4)])
table.add("nn.contrib_dense_pack", pack, [random(2, 3, 7), random(2, 7, 8)])


def dot_panels(x, columns, group):
    """[..., k, n] -> [..., n / columns, k / group, columns, group]."""
    *batch, k, n = x.shape
    parts = x.reshape(*batch, k // group, group, n // columns, columns)
    return np.moveaxis(parts, (-2, -4, -1, -3), (-4, -3, -2, -1))


def dense_dot(x, w, out_dtype):
    """w's operands side by side, as matrices [..., k, n] in panels."""
    *batch, panels, groups, columns, group = w.shape
    whole = np.moveaxis(w, (-3, -1, -4, -2), (-4, -3, -2, -1)).reshape(*batch, groups * group, -1)
    made = np.matmul(x.astype(out_dtype), whole.astype(out_dtype))
    return made.reshape(*made.shape[:-1], panels, columns)


for batch in ((), (3,)):
    table.add("nn.contrib_dot_panels", dot_panels, [random(*batch, 8, 32)], columns=16, group=2)
    table.add("nn.contrib_dot_panels", dot_panels, [integers(*batch, 8, 32, dtype="int8")], columns=32, group=4)
    table.add("nn.contrib_dense_dot", dense_dot,
              [integers(*batch, 5, 64, dtype="uint8", low=0, high=255),
               integers(*batch, 2, 16, 32, 4, dtype="int8", low=-128, high=127)],
              out_dtype="int32", result="int32")
    table.add("nn.contrib_dense_dot", dense_dot,
              [random(*batch, 9, 64, dtype=bfloat16), random(*batch, 2, 32, 32, 2, dtype=bfloat16)],
              out_dtype="float32", result="float32", rtol=1e-4)
table.add("nn.contrib_dense_dot", dense_dot, [random(2, 3, 6), random(4, 2, 8, 3)], out_dtype="float32")

EQUATIONS = (("ij,jk->ik", (3, 4), (4, 5)), ("ij,kj", (3, 4), (5, 4)), ("bij,bjk->bik", (2, 3, 4),
                                                                      (2, 4, 5)),
             ("ii->i", (4, 4)), ("ii", (4, 4)), ("ij->ji", (3, 4)), ("ba", (3, 4)), ("ij->", (3, 4)),
             ("i,j->ij", (3,), (4,)), ("...ij,...jk->...ik", (2, 1, 3, 4), (5, 4, 2)),
             ("...i->...", (2, 3, 4)), ("ij,ij->i", (3, 4), (3, 4)), ("i,i", (4,), (4,)),
             ("bhqd,bhkd->bhqk", (2, 2, 3, 4), (2, 2, 5, 4)),
             ("ij,jk,kl->il", (2, 3), (3, 4), (4, 5)), ("i...,i->...", (3, 4, 5), (3,)),
             ("iij,jk->ik", (3, 3, 4), (4, 2)), ("a b , b c -> a c", (3, 4), (4, 5)),
             ("ab,bc,ca->", (2, 3), (3, 4), (4, 2)), ("ij,ij->ij", (3, 4), (3, 4)))
for equation, *shapes in EQUATIONS:
    table.add("einsum", lambda xs, equation: np.einsum(equation, *xs),
              [[random(*s, seed=i) for i, s in enumerate(shapes)]], equation=equation,
              torch=lambda xs, equation: T.einsum(equation, *xs))
table.add("einsum", lambda xs, equation: np.einsum(equation, *xs),
          [[integers(3, 4), integers(4, 5)]], equation="ij,jk->ki")

test_numpy, test_torch = table.tests()
