"""Operators on quantized tensors that are made of others."""

import numpy as np
import pytest

from lathe import relay

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
