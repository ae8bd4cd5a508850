"""Lesson 5: two stencils, one after the other: how much to compute at a time."""

import numpy as np

import lathe
from lathe import te

h, w = 120, 160
src = te.placeholder((h, w), name="src")
across = te.compute((h, w - 2), lambda y, x: (src[y, x] + src[y, x + 1] + src[y, x + 2]) / 3.0,
                    name="across")
blur = te.compute((h - 2, w - 2),
                  lambda y, x: (across[y, x] + across[y + 1, x] + across[y + 2, x]) / 3.0,
                  name="blur")

a = np.random.rand(h, w).astype("float32")
rows = (a[:, :-2] + a[:, 1:-1] + a[:, 2:]) / 3
expected = (rows[:-2] + rows[1:-1] + rows[2:]) / 3


def check(what, schedule):
    out = np.zeros((h - 2, w - 2), "float32")
    lathe.build(schedule, [src, blur], "llvm")(a, out)
    np.testing.assert_allclose(out, expected, rtol=1e-5)
    print(f"--- {what}")
    print(lathe.explain(schedule, [src, blur]))


# The whole first stencil is computed first: each element once, and all of it in memory.
check("breadth first", te.create_schedule(blur.op))

# Computed wherever it is read: nothing in memory, each element three times.
s = te.create_schedule(blur.op)
s[across].compute_inline()
check("inlined", s)

# Computed for each block of rows, as much as the block needs: little memory, a few elements twice.
s = te.create_schedule(blur.op)
yo, yi = s[blur].split(blur.op.axis[0], factor=16)
s[across].compute_at(s[blur], yo)
s[across].vectorize(s[across].split(s[across].op.axis[1], factor=8)[1])
s[blur].vectorize(s[blur].split(blur.op.axis[1], factor=8)[1])
s[blur].parallel(yo)
check("blocks of 16 rows", s)

# The rows that the next iteration needs, too, are kept in a ring: nothing is computed twice.
s = te.create_schedule(blur.op)
s[across].compute_at(s[blur], blur.op.axis[0])
s[across].rolling_buffer()
check("a rolling buffer", s)
