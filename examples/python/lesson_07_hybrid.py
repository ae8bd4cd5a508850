"""Lesson 7: loops written as Python loops, compiled like any other operation."""

import numpy as np

import lathe
from lathe import te


@te.hybrid.script
def prefix_minimum(a):
    """The least of the first elements of each row: a loop whose steps depend on each other."""
    out = output_tensor(a.shape, a.dtype)  # noqa: F821
    for i in parallel(a.shape[0]):  # noqa: F821
        least = a[i, 0]
        for j in range(a.shape[1]):
            if a[i, j] < least:
                least = a[i, j]
            out[i, j] = least
    return out


A = te.placeholder((6, 50), name="A")
P = prefix_minimum(A)
B = te.compute(P.shape, lambda i, j: P[i, j] * 10.0, name="B")

s = te.create_schedule(B.op)
print(lathe.lower(s, [A, B]))
a, b = np.random.rand(6, 50).astype("float32"), np.zeros((6, 50), "float32")
lathe.build(s, [A, B], "llvm")(a, b)
np.testing.assert_allclose(b, np.minimum.accumulate(a, axis=1) * 10)


# Constructs that the language does not have are refused, with the line.
@te.hybrid.script
def too_much(a):
    out = output_tensor(a.shape, a.dtype)  # noqa: F821
    out[0] = open("file")
    return out


try:
    too_much(te.placeholder((4,), name="A"))
except te.hybrid.HybridError as error:
    print(error)
    assert 'out[0] = open("file")' in str(error)
else:
    raise AssertionError
