"""Programs for OpenCL, from Python. on_opencl.py starts this file."""

import os
import tempfile

import numpy as np

import lathe
from lathe import autotvm, rpc, te

device = lathe.device("opencl", 0)
assert device.exist, device.why_not
print(device.device_name, device.max_threads_per_block)

# A vector sum as in the documents, with tensors on the device.
n = 1024
A, B = te.placeholder((n,), name="A"), te.placeholder((n,), name="B")
C = te.compute((n,), lambda i: A[i] + B[i], name="C")
s = te.create_schedule(C.op)
block, thread = s[C].split(C.op.axis[0], factor=64)
s[C].bind(block, te.thread_axis("blockIdx.x"))
s[C].bind(thread, te.thread_axis("threadIdx.x"))
add = lathe.build(s, [A, B, C], "opencl", name="vector_add")
source = add.imported_modules[0].get_source()
assert "__kernel" in source, source
a, b, c = (lathe.nd.array(x.astype("float32"), device) for x in (np.random.rand(n), np.random.rand(n), np.zeros(n)))
add(a, b, c)
np.testing.assert_array_equal(c.numpy(), a.numpy() + b.numpy())
assert add.time_evaluator("vector_add", device, number=3)(a, b, c).mean > 0

# Arrays of the host are not in device memory.
try:
    add(np.zeros(n, "float32"), np.zeros(n, "float32"), np.zeros(n, "float32"))
except lathe.LatheError as error:
    print(error)
else:
    raise AssertionError("memory of the host was taken for the device's")

# Shared memory and a barrier: a transposition in tiles.
N, TILE = 64, 8
X = te.placeholder((N, N), name="X")
T = te.compute((N, N), lambda i, j: X[j, i], name="T")
s = te.create_schedule(T.op)
XS = s.cache_read(X, "shared", [T])
by, ty = s[T].split(T.op.axis[0], factor=TILE)
bx, tx = s[T].split(T.op.axis[1], factor=TILE)
s[T].reorder(by, bx, ty, tx)
thread_y, thread_x = te.thread_axis("threadIdx.y"), te.thread_axis("threadIdx.x")
for axis, tag in ((by, te.thread_axis("blockIdx.y")), (bx, te.thread_axis("blockIdx.x")), (ty, thread_y),
                  (tx, thread_x)):
    s[T].bind(axis, tag)
s[XS].compute_at(s[T], bx)
y, x = s[XS].op.axis
s[XS].bind(y, thread_y)
s[XS].bind(x, thread_x)
transpose = lathe.build(s, [X, T], "opencl")
assert "barrier(" in transpose.imported_modules[0].get_source()
values = np.random.rand(N, N).astype("float32")
x, t = lathe.nd.array(values, device), lathe.nd.empty((N, N), device=device)
transpose(x, t)
np.testing.assert_array_equal(t.numpy(), values.T)

# A phone's GPU behind a proxy: compiled here, run there.
N, THREADS = 64, 16
A, B = te.placeholder((N, N), name="A"), te.placeholder((N, N), name="B")
k = te.reduce_axis((0, N), name="k")
C = te.compute((N, N), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
s = te.create_schedule(C.op)
_, block = s[C].split(C.op.axis[0], factor=THREADS)
_, thread = s[C].split(C.op.axis[1], factor=THREADS)
s[C].bind(block, te.thread_axis("blockIdx.x"))
s[C].bind(thread, te.thread_axis("threadIdx.x"))
gemm = lathe.build(s, [A, B, C], "opencl", target_host="llvm", name="gemm_gpu")
with tempfile.TemporaryDirectory() as folder, rpc.Proxy("127.0.0.1", 0) as proxy, \
        rpc.Server("127.0.0.1", proxy.port, is_proxy=True, key="android"):
    path = os.path.join(folder, "gemm_gpu.so")
    gemm.export_library(path)
    with rpc.connect("127.0.0.1", proxy.port, key="android") as remote:
        remote.upload(path)
        far = remote.load_module("gemm_gpu.so")
        a, b = (lathe.nd.array(np.random.rand(N, N).astype("float32"), remote.cl(0)) for _ in range(2))
        c = lathe.nd.array(np.zeros((N, N), "float32"), remote.cl(0))
        assert far.time_evaluator(far.entry_name, remote.cl(0), number=5)(a, b, c).mean > 0
        np.testing.assert_allclose(c.numpy(), a.numpy() @ b.numpy(), rtol=1e-5)


# A template's configurations, measured on the device.
@autotvm.template("tests/opencl_twice")
def twice(length):
    A = te.placeholder((length,), name="A")
    B = te.compute((length,), lambda i: A[i] * 2.0, name="B")
    s = te.create_schedule(B.op)
    cfg = autotvm.get_config()
    cfg.define_split("threads", s[B].op.axis[0], num_outputs=2)
    block, thread = cfg["threads"].apply(s, B, s[B].op.axis[0])
    s[B].bind(block, te.thread_axis("blockIdx.x"))
    s[B].bind(thread, te.thread_axis("threadIdx.x"))
    return s, [A, B]


task = autotvm.task.create("tests/opencl_twice", (1 << 14,), "opencl")
option = autotvm.measure_option("local", autotvm.LocalRunner(number=1, repeat=2, cooldown_interval=0))
measure = autotvm.create_measure_batch(task, option)
fits, too_many = measure([autotvm.MeasureInput(task.target, task, task.config_space.get(i)) for i in (6, 14)])
assert fits.error_no == 0, fits
assert "device-limit" in str(too_many.costs[0]), too_many
print("ran on opencl")
