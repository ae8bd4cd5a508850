"""The frontend for PyTorch, as far as it goes without PyTorch: python/pytorch has other tests."""

import pytest

import lathe
from lathe import relay


def has_pytorch():
    try:
        import torch  # noqa: F401
    except ImportError:
        return False
    return True


def test_what_is_no_model():
    for model in ("model.pt", 3, None):
        with pytest.raises(TypeError) as raised:
            relay.frontend.from_pytorch(model, [("x", (1, 3))])
        assert raised.value.name == "pytorch-module-type"
        with pytest.raises(TypeError):
            relay.frontend.from_exported_program(model)


@pytest.mark.skipif(has_pytorch(), reason="PyTorch is installed")
def test_pytorch_is_missing():
    class Traced:
        inlined_graph = property(lambda self: self)

        def copy(self):
            return self

    with pytest.raises(lathe.LatheError) as raised:
        relay.frontend.from_pytorch(Traced(), [("x", (1, 3))])
    assert raised.value.name == "pytorch-not-installed" and "pip install" in str(raised.value)


@pytest.mark.parametrize("kind", ["graph", "debug", "vm"])
def test_loops_that_importers_make(kind):
    import numpy as np

    from lathe.relay._loop import Loop

    scalar = relay.TensorType((), "int64")
    start, more = relay.var("start", scalar), relay.var("more", scalar)
    x, rounds = relay.var("x", scalar), relay.var("rounds", scalar)
    one = relay.const(1, "int64")
    loop = Loop([start, one], [x, rounds], relay.less(x, relay.const(100, "int64")),
                relay.Tuple([x * relay.const(2, "int64") + more, rounds + one]),
                relay.ty.TupleType([scalar, scalar]))
    result = relay.TupleGetItem(loop, 0) + relay.TupleGetItem(loop, 1)
    assert relay.analysis.free_vars(result) == [start, more]
    run = relay.create_executor(kind, relay.Function([start, more], result)).evaluate()
    for first in (3, 200):
        value, count = first, 1
        while value < 100:
            value, count = value * 2 + 1, count + 1
        assert int(run(np.int64(first), np.int64(1)).numpy()) == value + count


def test_the_table():
    names = relay.frontend.pytorch.supported_operators()
    assert len(names) > 500 and {"conv2d", "softmax", "quantized::conv2d"} <= set(names)


@pytest.mark.skipif(not has_pytorch(), reason="PyTorch is not installed: models of PyTorch are NOT "
                                              "tested here. tools/try_pytorch tests them")
def test_a_model():
    import numpy as np
    import torch

    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU()).eval()
    x = torch.randn(2, 3)
    mod, params = relay.frontend.from_pytorch(torch.jit.trace(model, x), [("x", ("n", 3))])
    run = relay.create_executor("graph", mod, target="llvm", params=params).evaluate()
    np.testing.assert_allclose(run(x.numpy()).numpy(), model(x).detach().numpy(), rtol=1e-5,
                               atol=1e-6)
