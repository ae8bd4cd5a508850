"""Graphs and tensor expressions on an NVIDIA GPU. Skipped without one."""

import os
import subprocess
import sys

import numpy as np
import pytest

import lathe
from lathe import relay, te, tir
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
