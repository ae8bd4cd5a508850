"""Graphs of float16: what is added up in float32, and rounded once."""

import numpy as np

import lathe
from lathe import relay


def half(build, *arrays):
    inputs = [relay.var(f"x{i}", shape=one.shape, dtype="float16") for i, one in enumerate(arrays)]
    func = relay.Function(inputs, build(*inputs))
    found = [relay.create_executor(kind, lathe.IRModule.from_expr(func)).evaluate()(*arrays).numpy()
             for kind in ("graph", "debug")]
    assert found[0].dtype == np.float16
    return found


def test_sums_of_float16_are_added_up_in_float32():
    """4096 ones are 2048 in float16, and 3136 times 30 is infinite."""
    def ones(*shape):
        return np.ones(shape, "float16")

    for build, arrays, expected in (
            (lambda x: relay.sum(x, axis=1), [ones(1, 4096, 3)], 4096),
            (lambda x: relay.mean(x, axis=1), [100 * ones(1, 4096, 3)], 100),
            (lambda x: relay.nn.softmax(x, axis=1), [0 * ones(1, 4096, 3)], 1 / 4096),
            (relay.nn.global_avg_pool2d, [30 * ones(1, 2, 56, 56)], 30),
            (lambda x: relay.nn.avg_pool2d(x, pool_size=(8, 8)), [3000 * ones(1, 3, 8, 8)], 3000),
            (relay.nn.dense, [ones(4, 4096), ones(8, 4096)], 4096),
            (lambda x, w: relay.nn.conv2d(x, w, kernel_size=(3, 3), channels=16),
             [ones(1, 512, 5, 5), ones(16, 512, 3, 3)], 4608)):
        for found in half(build, *arrays):
            np.testing.assert_array_equal(found, np.float16(expected))


def test_functions_of_sums_are_of_float32():
    """Squares of 8 add up to 65536 for 1024 of them, which float16 does not have."""
    signs = np.where(np.arange(1024) % 2 == 0, 8, -8).astype("float16")[np.newaxis]
    ones = np.ones((1024,), "float16")
    for build, arrays, expected in (
            (lambda x: relay.nn.layer_norm(x, relay.const(ones), relay.const(0 * ones)), [signs], signs / 8),
            (lambda x: relay.std(x, axis=1), [signs], [8]),
            (lambda x: relay.logsumexp(x, axis=1), [np.zeros((1, 70000), "float16")], [np.log(70000)])):
        for found in half(build, *arrays):
            np.testing.assert_allclose(found, np.float16(expected), rtol=2**-10)


def test_products_of_float16_are_rounded_once():
    random = np.random.default_rng(4)
    x, w = (random.standard_normal(shape).astype("float16") for shape in ((16, 512), (24, 512)))
    exact = np.maximum(x.astype("float64") @ w.astype("float64").T, 0)
    for found in half(lambda a, b: relay.nn.relu(relay.nn.dense(a, b)), x, w):
        np.testing.assert_allclose(found, exact, rtol=2**-11, atol=2e-3)
