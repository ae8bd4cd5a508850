"""Lesson 8: kernels: loops bound to threads, shared memory, and their code.

NVIDIA's compiler comes with `pip install "lathe-....whl[cuda]"`. Without a GPU the code is made and
shown, too; its result is then checked on the processor, by the same definition.
"""

import numpy as np

import lathe
from lathe import te

N, TILE = 128, 16
A = te.placeholder((N, N), name="A")
B = te.placeholder((N, N), name="B")
k = te.reduce_axis((0, N), name="k")
C = te.compute((N, N), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")

s = te.create_schedule(C.op)
# Each thread collects its element in a register and writes it once.
CL = s.cache_write(C, "local")
# The elements that a block reads are in memory that its threads share.
AA = s.cache_read(A, "shared", [CL])
BB = s.cache_read(B, "shared", [CL])

by, ty = s[C].split(C.op.axis[0], factor=TILE)
bx, tx = s[C].split(C.op.axis[1], factor=TILE)
s[C].reorder(by, bx, ty, tx)
s[C].bind(by, te.thread_axis("blockIdx.y"))
s[C].bind(bx, te.thread_axis("blockIdx.x"))
thread_y, thread_x = te.thread_axis("threadIdx.y"), te.thread_axis("threadIdx.x")
s[C].bind(ty, thread_y)
s[C].bind(tx, thread_x)

s[CL].compute_at(s[C], tx)
ko, ki = s[CL].split(s[CL].op.reduce_axis[0], factor=TILE)
for stage in (s[AA], s[BB]):
    stage.compute_at(s[CL], ko)
    y, x = stage.op.axis
    stage.bind(y, thread_y)
    stage.bind(x, thread_x)

print(lathe.lower(s, [A, B, C], name="matmul"))

matmul = lathe.build(s, [A, B, C], target="cuda", name="matmul")
source = matmul.imported_modules[0].get_source()
print(source)
assert "__shared__" in source and "__syncthreads" in source

a, b = np.random.rand(N, N).astype("float32"), np.random.rand(N, N).astype("float32")
device = lathe.cuda(0)
if device.exist:
    arrays = [lathe.nd.array(x, device) for x in (a, b, np.zeros((N, N), "float32"))]
    matmul(*arrays)
    np.testing.assert_allclose(arrays[2].numpy(), a @ b, rtol=1e-4)
    print("on the GPU:", matmul.time_evaluator("matmul", device, number=20)(*arrays))
else:
    print("no GPU here:", device.why_not or "no device")
    try:
        matmul(a, b, np.zeros((N, N), "float32"))
    except lathe.LatheError as error:
        print("so a call is refused:", error)
    else:
        raise AssertionError("a kernel for CUDA cannot take memory of the host")
    out = np.zeros((N, N), "float32")
    lathe.build(te.create_schedule(C.op), [A, B, C], "llvm")(a, b, out)
    np.testing.assert_allclose(out, a @ b, rtol=1e-4)
