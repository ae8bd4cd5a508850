"""Lesson 3: reductions: sums, several values at once, your own reducers, and splitting reductions."""

import numpy as np

import lathe
from lathe import te

n, m = 64, 1000
A = te.placeholder((n, m), name="A")
a = np.random.rand(n, m).astype("float32")


def run(outputs, *shapes):
    """Builds the default schedule of some outputs and returns their arrays."""
    schedule = te.create_schedule(outputs[0].op)
    function = lathe.build(schedule, [A, *outputs], "llvm")
    results = [np.zeros(shape, o.dtype) for shape, o in zip(shapes, outputs)]
    function(a, *results)
    return results


# A sum over one axis, over both, and of some elements only.
k = te.reduce_axis((0, m), name="k")
rows = te.compute((n,), lambda i: te.sum(A[i, k], axis=k), name="rows")
np.testing.assert_allclose(run([rows], (n,))[0], a.sum(axis=1), rtol=1e-4)

r, c = te.reduce_axis((0, n), name="r"), te.reduce_axis((0, m), name="c")
total = te.compute((), lambda: te.sum(A[r, c], axis=[r, c], where=r != c), name="total")
np.testing.assert_allclose(run([total], ())[0], a.sum() - np.trace(a), rtol=1e-4)

# Two values at once: the index of the greatest element, and its value.
k = te.reduce_axis((0, m), name="k")
where, most = te.compute((n,), lambda i: te.argmax((k.var, A[i, k]), axis=k), name="argmax")
found_at, found = run([where, most], (n,), (n,))
np.testing.assert_array_equal(found_at, a.argmax(axis=1))
np.testing.assert_array_equal(found, a.max(axis=1))

# Your own reducer: any commutative, associative combination with an identity.
norm = te.comm_reducer(lambda x, y: te.hypot(x, y), lambda t: te.const(0, t), name="norm")
k = te.reduce_axis((0, m), name="k")
norms = te.compute((n,), lambda i: norm(A[i, k], axis=k), name="norms")
np.testing.assert_allclose(run([norms], (n,))[0], np.linalg.norm(a, axis=1), rtol=1e-4)

# A long sum for vectors: 16 partial sums side by side, added up at the end.
k = te.reduce_axis((0, m), name="k")
rows = te.compute((n,), lambda i: te.sum(A[i, k], axis=k), name="rows")
s = te.create_schedule(rows.op)
ko, ki = s[rows].split(k, factor=16)
partial = s.rfactor(rows, ki)
s[partial].vectorize(s[partial].op.axis[0])
s[partial].compute_at(s[rows], s[rows].op.axis[0])
print(lathe.lower(s, [A, rows]))
out = np.zeros(n, "float32")
lathe.build(s, [A, rows], "llvm")(a, out)
np.testing.assert_allclose(out, a.sum(axis=1), rtol=1e-4)
print("all sums agree with NumPy")
