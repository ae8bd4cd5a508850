"""Graphs and tensor expressions on an NVIDIA GPU. Skipped without one."""

import os
import subprocess
import sys
import time

import numpy as np
import pytest

import lathe
from lathe import relay, rpc, te, tir, topi
from lathe.contrib import graph_executor
from lathe.relay import testing

HERE = os.path.dirname(os.path.abspath(__file__))
GPU = lathe.cuda()

pytestmark = pytest.mark.skipif(not GPU.exist, reason=f"no NVIDIA GPU: {GPU.why_not}")


def test_graphs():
    program = f"import sys; sys.path[:0] = {sys.path!r}; import runpy; " \
              f"runpy.run_path({os.path.join(HERE, 'device_graphs.py')!r})"
    done = subprocess.run([sys.executable, "-I", "-S", "-B", "-c", program, "cuda"], capture_output=True, text=True)
    assert done.returncode == 0 and "graphs ran on cuda" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("network,gamma", [("resnet", 1), ("mobilenet", 5), ("mlp", 1), ("lstm", 1)])
def test_networks_give_what_the_host_gives(network, gamma):
    mod, params = {
        "resnet": lambda: testing.resnet.get_workload(num_layers=18, image_shape=(3, 64, 64)),
        "mobilenet": lambda: testing.mobilenet.get_workload(image_shape=(3, 64, 64)),
        "mlp": lambda: testing.mlp.get_workload(batch_size=4),
        "lstm": lambda: testing.lstm.get_workload(iterations=3, num_hidden=16),
    }[network]()
    rng = np.random.default_rng(0)
    # With the factors that training starts with, nothing of the input is left in MobileNet's result.
    params = {name: value.numpy() * gamma if name.endswith("gamma") else value for name, value in params.items()}
    inputs = {p.name_hint: rng.standard_normal([int(d) for d in p.checked_type.shape]).astype("float32")
              for p in mod["main"].params if p.name_hint not in params}

    def run(target, device):
        m = graph_executor.GraphModule(relay.build(mod, target, params=params)["default"](device))
        m.run(**inputs)
        return m.get_output(0).numpy()

    expected = run("llvm", lathe.cpu())
    assert expected.std() > 0.01 * np.abs(expected).max()
    np.testing.assert_allclose(run("cuda", GPU), expected, rtol=1e-3, atol=1e-5)


def test_arguments_with_strides():
    n, m = te.size_var("n"), te.size_var("m")
    A = te.placeholder((n, m), name="A")
    B = te.compute((n, m), lambda i, j: A[i, j] * 2.0, name="B")
    s = te.create_schedule(B.op)
    block, thread = s[B].split(s[B].fuse(*s[B].op.axis), factor=64)
    s[B].bind(block, te.thread_axis("blockIdx.x"))
    s[B].bind(thread, te.thread_axis("threadIdx.x"))
    binds = {A: tir.decl_buffer(A.shape, A.dtype, name="Ab", strides=[te.var("row"), te.var("column")])}
    double = lathe.build(s, [A, B], "cuda", binds=binds)
    values = np.arange(30, dtype="float32").reshape(5, 6)
    out = lathe.nd.empty((5, 6), device=GPU)
    double(lathe.nd.array(values, GPU), out)
    np.testing.assert_array_equal(out.numpy(), values * 2)
    row = lathe.nd.array(values[:1], GPU)
    with pytest.raises(lathe.LatheError, match="call-argument"):
        double(row, out)


def matmul(n=256):
    a, b = te.placeholder((n, n), name="A"), te.placeholder((n, n), name="B")
    c = topi.matmul(a, b)
    return lathe.build(lathe.default_schedule([c], "cuda"), [a, b, c], "cuda", target_host="llvm", name="matmul")


def test_a_session(tmp_path):
    """Kernels, copies, times, a graph and an end in mid-kernel, on the GPU of a session's worker."""
    kernel, net = tmp_path / "matmul.so", tmp_path / "net.so"
    matmul().export_library(str(kernel))
    mod, params = testing.mlp.get_workload(batch_size=4)
    lib = relay.build(mod, "cuda", params=params)
    lib.export_library(str(net))
    rng = np.random.default_rng(0)
    with rpc.Server("127.0.0.1") as server:
        with rpc.connect("127.0.0.1", server.port) as remote:
            dev = remote.cuda(0)
            assert dev.exist and dev.device_name == GPU.device_name
            remote.upload(str(kernel))
            remote.upload(str(net))
            f = remote.load_module("matmul.so")
            x, y = (rng.standard_normal((256, 256)).astype("float32") for _ in range(2))
            a, b, c = lathe.nd.array(x, dev), lathe.nd.array(y, dev), lathe.nd.empty((256, 256), "float32", dev)
            f(a, b, c)
            np.testing.assert_allclose(c.numpy(), x @ y, rtol=1e-3, atol=1e-4)
            times = f.time_evaluator("matmul", dev, number=5, repeat=3)(a, b, c)
            assert len(times.results) == 3 and min(times.results) > 0
            # Between this process's GPU, the session's and its host.
            here = lathe.nd.array(x, GPU)
            there = here.copyto(dev)
            np.testing.assert_array_equal(there.copyto(remote.cpu()).numpy(), x)
            np.testing.assert_array_equal(there[3:5].numpy(), x[3:5])
            back = lathe.nd.empty(x.shape, "float32", GPU)
            there.copyto(back)
            np.testing.assert_array_equal(back.numpy(), x)
            data = rng.standard_normal((4, 1, 28, 28)).astype("float32")
            m = graph_executor.GraphModule(remote.load_module("net.so")["default"](dev))
            n = graph_executor.GraphModule(lib["default"](GPU))
            m.run(data=data)
            n.run(data=data)
            assert m.get_output(0).device == dev
            np.testing.assert_allclose(m.get_output(0).numpy(), n.get_output(0).numpy(), rtol=1e-5)
        slow = tmp_path / "slow.so"
        spin().export_library(str(slow))
        started = time.monotonic()
        with pytest.raises(lathe.LatheError, match="session-"):
            with rpc.connect("127.0.0.1", server.port, session_timeout=3) as remote:
                remote.upload(str(slow))
                table = lathe.nd.array(np.arange(1024, dtype="int32"), remote.cuda(0))
                out = lathe.nd.empty((1,), "int32", remote.cuda(0))
                remote.load_module("slow.so")(table, out)
                out.numpy()
        assert time.monotonic() - started < 20
        with rpc.connect("127.0.0.1", server.port) as remote:
            a = lathe.nd.array(np.ones(8, "float32"), remote.cuda(0))
            np.testing.assert_array_equal(a.numpy(), np.ones(8))


def spin():
    """A kernel of one thread that is busy for a minute or more."""
    table, k = te.placeholder((1024,), "int32", name="table"), te.reduce_axis((0, 1 << 36), name="k")
    out = te.compute((1,), lambda i: te.sum(table[(k * k + i) % 1024], axis=k), name="out")
    s = te.create_schedule(out.op)
    s[out].bind(out.op.axis[0], te.thread_axis("threadIdx.x"))
    return lathe.build(s, [table, out], "cuda", name="spin")
