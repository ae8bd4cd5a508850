"""Operators on quantized tensors that are made of others."""

import platform

import numpy as np
import pytest

import lathe
from lathe import relay
from lathe.contrib import graph_executor

qnn = relay.qnn.op
RANDOM = np.random.default_rng(0)
X = RANDOM.integers(-128, 128, (2, 3, 4)).astype("int8")
Y = RANDOM.integers(-128, 128, (2, 5, 4)).astype("int8")


def number(value):
    return relay.const(value)


def run(expr, *data):
    results = [relay.create_executor(kind, expr).evaluate()(*data).numpy() for kind in ("debug", "graph")]
    np.testing.assert_allclose(results[1].astype(int), results[0].astype(int), atol=1)  # a rounding
    return results[0]


def variable(data, name="x"):
    return relay.var(name, shape=data.shape, dtype=str(data.dtype))


def rounded(real, scale, zero):
    return np.clip(np.rint(real / scale) + zero, -128, 127)


FUNCTIONS = {"tanh": np.tanh, "exp": np.exp, "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
             "hardswish": lambda x: x * np.clip(x + 3, 0, 6) / 6,
             "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "log": np.log}


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_functions(name):
    positive = name in ("sqrt", "rsqrt", "log")
    data = np.abs(X.astype(int)).clip(1, 127).astype("int8") if positive else X
    zero = 0 if positive else 3
    got = run(getattr(qnn, name)(variable(data), number(0.02), number(zero), number(0.05), number(-4)), data)
    want = rounded(FUNCTIONS[name]((data.astype(float) - zero) * 0.02), 0.05, -4)
    np.testing.assert_allclose(got, want, atol=1)


def test_leaky_relu_and_difference():
    got = run(qnn.leaky_relu(variable(X), 0.1, number(0.5), number(3)), X)
    real = (X.astype(float) - 3) * 0.5
    np.testing.assert_allclose(got, rounded(np.where(real > 0, real, 0.1 * real), 0.5, 3), atol=1)
    other = X[::-1].copy()
    got = run(qnn.subtract(variable(X), variable(other, "y"), number(0.5), number(3), number(0.25), number(-1),
                           number(1.0), number(2)), X, other)
    np.testing.assert_allclose(got, rounded(real - (other.astype(float) + 1) * 0.25, 1.0, 2), atol=1)


def test_products_are_exact():
    one = number(1.0)
    got = run(qnn.batch_matmul(variable(X), variable(Y, "y"), number(3), number(-2), one, one), X, Y)
    np.testing.assert_array_equal(got, np.matmul(X.astype(int) - 3, (Y.astype(int) + 2).transpose(0, 2, 1)))
    data = RANDOM.integers(-128, 128, (1, 2, 3, 3)).astype("int8")
    weight = RANDOM.integers(-128, 128, (2, 4, 2, 2)).astype("int8")
    got = run(qnn.conv2d_transpose(variable(data), variable(weight, "w"), number(5), number(-7), one, one,
                                   strides=(2, 2)), data, weight)
    # Windows do not overlap: each element is multiplied by the filter.
    want = np.einsum("nchw,cfij->nfhiwj", data.astype(int) - 5, weight.astype(int) + 7).reshape(1, 4, 6, 6)
    np.testing.assert_array_equal(got, want)


def test_concatenation_takes_lists():
    x, half, one, zero = variable(X), number(0.5), number(1.0), number(0)
    got = run(qnn.concatenate([x, x], [half, one], [zero, zero], one, zero, axis=1), X)
    np.testing.assert_allclose(got[:, :3], np.rint(X * 0.5), atol=1)
    np.testing.assert_array_equal(got[:, 3:], X)
    same = run(qnn.concatenate(relay.Tuple([x, x]), relay.Tuple([half, one]), relay.Tuple([zero, zero]), one, zero, 1), X)
    np.testing.assert_array_equal(same, got)


def test_passes_leave_modules():
    import lathe

    mod = lathe.IRModule.from_expr(qnn.quantize(relay.var("x", shape=(2,)), number(0.5), number(0)))
    assert str(relay.qnn.transform.CanonicalizeOps()(mod)) == str(relay.qnn.transform.Legalize()(mod)) == str(mod)


def quantised(x, scale, zero, dtype):
    return qnn.quantize(x, number(np.float32(scale)), relay.const(zero, dtype), out_dtype=dtype, rounding="NEAREST_EVEN")


def real_of(q, scale, zero, dtype):
    return qnn.dequantize(q, number(np.float32(scale)), relay.const(zero, dtype))


def weights(*shape, scales):
    integers = relay.const(RANDOM.integers(-127, 128, shape).astype("int8"))
    zeros = relay.const(np.zeros(np.shape(scales), "int8"))
    return qnn.dequantize(integers, relay.const(np.asarray(scales, "float32")), zeros, axis=0)


@pytest.mark.parametrize("dtype, zero", [("uint8", 117), ("int8", -9)])
def test_networks_of_dequantised_numbers(dtype, zero):
    """Each level gives the results of level 0, where the sums are made of floats, up to a rounding of the last step."""
    x = relay.var("x", shape=(2, 3, 9, 8))

    def again(y, scale=0.07):
        return real_of(quantised(y, scale, zero, dtype), scale, zero, dtype)
    y = relay.nn.conv2d(again(x), weights(24, 3, 3, 3, scales=RANDOM.uniform(0.002, 0.01, 24)), padding=(1, 1),
                        strides=(2, 1))
    y = again(relay.nn.relu(relay.nn.bias_add(y, relay.const(RANDOM.uniform(-1, 1, 24).astype("float32")))))
    y = relay.nn.conv2d(y, weights(24, 1, 3, 3, scales=RANDOM.uniform(0.002, 0.01, 24)), groups=24, padding=(1, 1))
    first = again(y)
    second = again(relay.nn.conv2d(first, weights(24, 24, 1, 1, scales=0.004)))
    y = again(first + second, 0.11)
    y = relay.nn.conv2d(y, weights(5, 24, 1, 1, scales=RANDOM.uniform(0.002, 0.01, 5)))
    y = again(relay.reshape(relay.nn.global_avg_pool2d(y), (2, 5)))
    y = relay.nn.dense(y, weights(16, 5, scales=RANDOM.uniform(0.002, 0.01, 16)))
    module = lathe.IRModule.from_expr(relay.Function([x], quantised(y, 0.1, zero, dtype)))
    data = RANDOM.uniform(-3, 3, (2, 3, 9, 8)).astype("float32")
    results = []
    # Also without dot products of bytes, where there are pairs of 16-bit numbers.
    runs = [(level, "llvm") for level in range(4)]
    if platform.machine() == "x86_64":
        runs.append((2, "llvm -mcpu=x86-64-v2"))
    for level, target in runs:
        with lathe.transform.PassContext(opt_level=level):
            built = relay.build(module, target)
        assert "v2" not in target or "pmaddwd" in built.get_lib().get_source("asm")
        graph = graph_executor.GraphModule(built["default"](lathe.cpu()))
        graph.run(x=lathe.nd.array(data))
        results.append(graph.get_output(0).numpy().astype(int))
    assert len(np.unique(results[0])) > 10
    for found in results[1:]:
        assert np.abs(found - results[0]).max() <= 1


def test_halves_behind_a_convolution_are_kept():
    """Integers of twice the scale are halves, each rounded to even, also behind sums of integers."""
    scale = 0.12775537
    x = relay.var("x", shape=(1, 1, 1, 256))
    y = relay.nn.conv2d(real_of(quantised(x, scale, 0, "int8"), scale, 0, "int8"), weights(1, 1, 1, 1, scales=0.004))
    q = quantised(y, scale, 0, "int8")
    twice = quantised(relay.nn.max_pool2d(real_of(q, scale, 0, "int8"), pool_size=(1, 1)), 2 * scale, 0, "int8")
    module = lathe.IRModule.from_expr(relay.Function([x], relay.Tuple([q, twice])))
    data = (np.arange(-128, 128) * scale / 0.2).astype("float32").reshape(1, 1, 1, 256)
    for level in (0, 2):
        with lathe.transform.PassContext(opt_level=level):
            graph = graph_executor.GraphModule(relay.build(module, "llvm")["default"](lathe.cpu()))
        graph.run(x=lathe.nd.array(data))
        integers, halves = (graph.get_output(i).numpy().astype(int) for i in range(2))
        assert len(np.unique(integers)) > 50
        np.testing.assert_array_equal(halves, np.rint(integers / 2))


@pytest.mark.parametrize("depth, whole", [(64000, True), (80000, False)])
def test_sums_that_may_not_fit_32_bits_stay_real(depth, whole):
    scale, zero = relay.const(0.5), relay.const(0, "int8")
    x = relay.var("x", shape=(2, depth), dtype="uint8")
    weight = relay.const(np.full((4, depth), -128, "int8"))
    y = relay.nn.dense(qnn.dequantize(x, scale, relay.const(0, "int32")),
                       qnn.dequantize(weight, scale, zero))
    mod, _ = relay.optimize(relay.Function([x], y), "llvm -mcpu=cascadelake")
    assert ("conv2d_nchwc_int8" in str(mod)) == whole, str(mod)
    run = relay.create_executor("graph", relay.Function([x], y)).evaluate()
    found = run(np.full((2, depth), 255, "uint8")).numpy()
    np.testing.assert_allclose(found, np.full((2, 4), -255.0 * 128 * depth / 4), rtol=1e-4)
