"""Lesson 2: matrix multiplication, step by step.

The definition never changes. Each step changes the schedule, and the time is printed beside it.
"""

import numpy as np

import lathe
from lathe import te

N = 256
k = te.reduce_axis((0, N), name="k")
A = te.placeholder((N, N), name="A")
B = te.placeholder((N, N), name="B")
C = te.compute((N, N), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")

a, b = np.random.rand(N, N).astype("float32"), np.random.rand(N, N).astype("float32")
expected = a @ b
tensors = [lathe.nd.array(a), lathe.nd.array(b), lathe.nd.empty((N, N))]


def measure(step, schedule, args=(A, B, C)):
    """Builds, checks against NumPy, prints billions of operations per second."""
    function = lathe.build(schedule, list(args), target="llvm", name="matmul")
    function(*tensors)
    np.testing.assert_allclose(tensors[2].numpy(), expected, rtol=1e-4)
    seconds = function.time_evaluator("matmul", lathe.cpu(), number=3, repeat=3)(*tensors).min
    speed = 2 * N**3 / seconds / 1e9
    print(f"{step:<46} {seconds * 1e3:8.2f} ms {speed:8.2f} GFLOP/s")
    return speed


# 0. As defined: three loops.
s = te.create_schedule(C.op)
plain = measure("0. three loops", s)

# 1. Blocks: elements that are read again are still in the cache.
s = te.create_schedule(C.op)
io, jo, ii, ji = s[C].tile(C.op.axis[0], C.op.axis[1], 32, 32)
ko, ki = s[C].split(k, factor=4)
s[C].reorder(io, jo, ko, ki, ii, ji)
measure("1. blocks of 32 x 32", s)

# 2. Vectors: the innermost loop becomes lanes.
s[C].vectorize(ji)
measure("2. and vectors", s)

# 3. The order of the inner loops: A's element stays in a register.
s = te.create_schedule(C.op)
io, jo, ii, ji = s[C].tile(C.op.axis[0], C.op.axis[1], 32, 32)
ko, ki = s[C].split(k, factor=4)
s[C].reorder(io, jo, ko, ii, ki, ji)
s[C].vectorize(ji)
measure("3. and loops in another order", s)

# 4. A block of the result is collected in local memory and written once.
s = te.create_schedule(C.op)
CC = s.cache_write(C, "local")
io, jo, ii, ji = s[C].tile(C.op.axis[0], C.op.axis[1], 4, 32)
s[CC].compute_at(s[C], jo)
ic, jc = s[CC].op.axis
(kc,) = s[CC].op.reduce_axis
ko, ki = s[CC].split(kc, factor=4)
s[CC].reorder(ko, ki, ic, jc)
s[CC].unroll(ki)
s[CC].unroll(ic)
s[CC].vectorize(jc)
s[C].vectorize(ji)
best = measure("4. and a block of the result in registers", s)

# 5. Rows of blocks on several threads.
s[C].parallel(io)
best = max(best, measure("5. and threads", s))

assert best > 2 * plain, "scheduling should have helped"
