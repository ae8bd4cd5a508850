"""Compiled graphs in a session's worker."""

import gc

import numpy as np
import pytest

import lathe
from lathe import relay, rpc
from lathe.contrib import graph_executor
from lathe.contrib.debugger import debug_executor

X = np.random.default_rng(0).standard_normal((4, 8)).astype("float32")
W = np.random.default_rng(1).standard_normal((4, 8)).astype("float32")


def network():
    x, w = relay.var("x", shape=(4, 8)), relay.var("w", shape=(4, 8))
    y = relay.multiply(x, w)
    return relay.Function([x, w], relay.Tuple([relay.nn.relu(y), y]))


@pytest.fixture(scope="module")
def remote(tmp_path_factory):
    folder = tmp_path_factory.mktemp("graphs")
    with rpc.Server("127.0.0.1") as server, rpc.connect("127.0.0.1", server.port) as session:
        for suffix in ("tar", "so"):
            path = folder / f"net.{suffix}"
            relay.build(network(), "llvm", params={"w": W}).export_library(str(path))
            session.upload(str(path))
        yield session


def check(executor, x=X, w=W):
    np.testing.assert_array_equal(executor.get_output(0).numpy(), np.maximum(x * w, 0))
    np.testing.assert_array_equal(executor.get_output(1).numpy(), x * w)


@pytest.mark.parametrize("suffix", ["tar", "so"])
def test_inputs_from_here_and_there(remote, suffix):
    m = graph_executor.GraphModule(remote.load_module(f"net.{suffix}")["default"](remote.cpu()))
    for value in (X, lathe.nd.array(X), lathe.nd.array(X, remote.cpu()), X.tolist()):
        m.set_input("x", value)
        m.run()
        check(m)
        m.run(x=np.zeros_like(X))
    assert m.get_input_info() == ({"x": (4, 8)}, {"x": "float32"})
    assert m.get_output(0).device == remote.cpu() == m.get_input_device("x")
    here = lathe.nd.empty((4, 8))
    m.run(x=X)
    m.get_output(1, here)
    np.testing.assert_array_equal(here.numpy(), X * W)
    assert len(m.benchmark(repeat=2, number=1).results) == 2
    assert len(m.module.time_evaluator("run", remote.cpu(), number=2, repeat=3)().results) == 3
    with pytest.raises(lathe.LatheError, match="graph-input-mismatch"):
        m.set_input("x", X[:2])


def test_memory_that_the_client_has_dropped(remote):
    m = graph_executor.GraphModule(remote.load_module("net.tar")["default"](remote.cpu()))
    m.set_input_zero_copy("x", lathe.nd.array(X, remote.cpu()))
    gc.collect()
    others = [lathe.nd.array(np.zeros_like(X), remote.cpu()) for _ in range(20)]
    m.run()
    check(m)
    del others


def test_constants(remote):
    lib = remote.load_module("net.tar")
    one, two = (graph_executor.GraphModule(lib["default"](remote.cpu())) for _ in range(2))
    one.set_input("w", W * 2)
    one.run(x=X)
    check(one, w=W * 2)
    two.run(x=X)
    check(two)
    two.share_params(one)
    two.run(x=X)
    check(two, w=W * 2)
    two.load_params(relay.save_param_dict({"w": W * 3}))
    two.run(x=X)
    check(two, w=W * 3)
    here = graph_executor.GraphModule(relay.build(network(), "llvm", params={"w": W})["default"](lathe.cpu()))
    with pytest.raises(lathe.LatheError, match="session-argument"):
        two.share_params(here)


def test_the_graph_as_a_function(remote):
    both = remote.load_module("net.tar")["default"](lathe.nd.array(X, remote.cpu()))
    np.testing.assert_array_equal(both[1].numpy(), X * W)


def test_times_of_steps(remote, capfd):
    m = debug_executor.GraphModuleDebug(remote.load_module("net.tar")["default"](remote.cpu()), remote.cpu(), None, None)
    m.run(x=X)
    check(m)
    assert "relu" in capfd.readouterr().out


def test_a_device_that_is_not_there(remote):
    with pytest.raises(lathe.LatheError, match="session-argument"):
        remote.load_module("net.tar")["default"](lathe.cpu())
    with pytest.raises(lathe.LatheError, match="graph-device"):
        remote.load_module("net.tar")["default"](remote.cuda())
