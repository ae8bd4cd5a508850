"""Lesson 6: an operation of the hardware, declared by its meaning, in place of loops."""

import numpy as np

import lathe
from lathe import te, tir

# The operation of the (imaginary) hardware: a dot product of 16 elements, added to a place in
# memory.
x = te.placeholder((16,), name="x")
y = te.placeholder((16,), name="y")
k = te.reduce_axis((0, 16), name="k")
dot = te.compute((), lambda: te.sum(x[k] * y[k], axis=k), name="dot")

calls: list = []


@lathe.register_func("lesson.dot16", override=True)
def dot16(left, right, out):
    """Simulates the hardware: adds the dot product to out."""
    calls.append(left.shape)
    out.copyfrom(np.asarray(out) + np.dot(left.numpy(), right.numpy()))


def how(inputs, outputs):
    """Code for (a whole sum, the beginning of a longer sum, a further part of it)."""
    (left, right), (out,) = inputs, outputs
    reset = tir.Store(out, 0.0, [])
    update = tir.Evaluate(tir.call_packed("lesson.dot16", left, right, out))
    return tir.Seq([reset, update]), reset, update


intrinsic = te.decl_tensor_intrin(dot.op, how, name="dot16")

n, depth = 4, 64
A = te.placeholder((n, depth), name="A")
B = te.placeholder((n, depth), name="B")
r = te.reduce_axis((0, depth), name="r")
C = te.compute((n, n), lambda i, j: te.sum(A[i, r] * B[j, r], axis=r), name="C")

s = te.create_schedule(C.op)
ro, ri = s[C].split(r, factor=16)
s[C].tensorize(ri, intrinsic)
print(lathe.lower(s, [A, B, C]))

a, b = np.random.rand(n, depth).astype("float32"), np.random.rand(n, depth).astype("float32")
c = np.zeros((n, n), "float32")
lathe.build(s, [A, B, C], "llvm")(a, b, c)
np.testing.assert_allclose(c, a @ b.T, rtol=1e-4)
assert len(calls) == n * n * depth // 16

# Loops that do not match are refused, with both sides shown.
s = te.create_schedule(C.op)
ro, ri = s[C].split(r, factor=8)
try:
    s[C].tensorize(ri, intrinsic)
    lathe.lower(s, [A, B, C])
except lathe.LatheError as error:
    print("refused:", error)
else:
    raise AssertionError("a loop of 8 is no dot product of 16")
