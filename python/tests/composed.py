"""What the tests of composed operators have in common: random data, and results of graphs."""

import numpy as np

import lathe
from lathe import relay

RANDOM = np.random.default_rng(0)


def normal(*shape):
    return RANDOM.normal(size=shape).astype("float32")


def of_relay(build, *arrays, kind="graph"):
    """The result, or the list of results, of `build` applied to variables."""
    params = [relay.var(f"x{i}", shape=one.shape, dtype=str(one.dtype)) for i, one in enumerate(arrays)]
    made = build(*params)
    made = made.astuple() if isinstance(made, relay.TupleWrapper) else made
    found = relay.create_executor(kind, lathe.IRModule.from_expr(relay.Function(params, made))).evaluate()(*arrays)
    return [one.numpy() for one in found] if isinstance(found, (list, tuple)) else found.numpy()


def close(found, want):
    np.testing.assert_allclose(found, want, rtol=1e-4, atol=1e-5)
