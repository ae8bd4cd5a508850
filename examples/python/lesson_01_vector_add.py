"""Lesson 1: from a definition to a call.

A program says *what* each element is; a schedule says *how* the elements are computed. The result is
the same with every schedule.
"""

import numpy as np

import lathe
from lathe import te

# What to compute: C[i] = A[i] + B[i], for any length n.
n = te.size_var("n")
A = te.placeholder((n,), name="A")
B = te.placeholder((n,), name="B")
C = te.compute((n,), lambda i: A[i] + B[i], name="C")

# How, at first: one plain loop.
s = te.create_schedule(C.op)
print(lathe.lower(s, [A, B, C], name="vector_add"))

# How, better: blocks of 256 on several threads, eight elements at a time.
outer, inner = s[C].split(C.op.axis[0], factor=256)
_, lanes = s[C].split(inner, factor=8)
s[C].parallel(outer)
s[C].vectorize(lanes)
print(lathe.lower(s, [A, B, C], name="vector_add"))

vector_add = lathe.build(s, [A, B, C], target="llvm", name="vector_add")

# Accepts Lathe's tensors and NumPy's arrays alike, and copies nothing.
for size in (1, 1000, 100_000):
    a, b = np.random.rand(size).astype("float32"), np.random.rand(size).astype("float32")
    c = np.zeros(size, "float32")
    vector_add(a, b, c)
    np.testing.assert_array_equal(c, a + b)

timed = vector_add.time_evaluator("vector_add", lathe.cpu(), number=20, repeat=3)(
    lathe.nd.array(a), lathe.nd.array(b), lathe.nd.empty(c.shape))
print("100,000 elements:", timed)
