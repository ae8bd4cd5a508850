"""Operators with their own schedules and configurations, with NumPy as the oracle."""

import numpy as np
import pytest

import lathe
from lathe import te, topi


def placeholders(*arrays):
    return [te.placeholder(a.shape, str(a.dtype), f"x{i}") for i, a in enumerate(arrays)]


def random(*shape):
    return np.random.default_rng(1).random(shape, "float32") - 0.5


def conv(data, weight, stride, padding):
    """data[n, c, y, x, lane], weight[f, c, ky, kx, lane, out lane]."""
    data = np.pad(data, ((0, 0), (0, 0), (padding, padding), (padding, padding), (0, 0)))
    ky, kx = weight.shape[2:4]
    windows = np.lib.stride_tricks.sliding_window_view(data, (ky, kx), axis=(2, 3))
    return np.einsum("ncyxlij,fcijlo->nfyxo", windows[:, :, ::stride, ::stride], weight)


def depthwise(data, weight, stride, padding):
    data = np.pad(data, ((0, 0), (0, 0), (padding, padding), (padding, padding), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(data, weight.shape[1:3], axis=(2, 3))
    return np.einsum("ncyxlij,cijl->ncyxl", windows[:, :, ::stride, ::stride], weight)


def softmax(x):
    powers = np.exp(x - x.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


def layer_norm(x, scale, shift):
    return (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5) * scale + shift


def blurred(x):
    return sum(x[i:i + x.shape[0] - 2, j:j + x.shape[1] - 2] for i in range(3) for j in range(3)) / 9


OPERATORS = {
    "matmul": (topi.matmul, np.matmul, [(37, 20), (20, 33)]),
    "batches": (topi.matmul, np.matmul, [(3, 8, 5), (3, 5, 16)]),
    "matvec": (topi.matvec, np.matmul, [(40, 30), (30,)]),
    "panels": (lambda a, b: topi.matmul_in_panels(a, b, 4, 16), np.matmul, [(10, 20), (20, 30)]),
    "conv2d": (lambda d, w: topi.conv2d_NCHWc(d, w, 2, 1), lambda d, w: conv(d, w, 2, 1),
               [(1, 2, 9, 9, 8), (3, 2, 3, 3, 8, 16)]),
    "depthwise": (lambda d, w: topi.depthwise_conv2d_NCHWc(d, w, padding=1),
                  lambda d, w: depthwise(d, w, 1, 1), [(1, 2, 9, 9, 8), (2, 3, 3, 8)]),
    "transpose": (topi.transpose, lambda x: np.ascontiguousarray(x.T), [(33, 18)]),
    "concat": (lambda *x: topi.concat_columns(x), lambda *x: np.concatenate(x, 1), [(9, 4), (9, 7), (9, 1)]),
    "sum rows": (topi.sum, lambda x: x.sum(1), [(20, 65)]),
    "sum columns": (lambda x: topi.sum(x, 0), lambda x: x.sum(0), [(20, 65)]),
    "max": (lambda x: topi.max(x, -2), lambda x: x.max(0), [(20, 65)]),
    "softmax": (topi.softmax, softmax, [(20, 65)]),
    "layer norm": (topi.layer_norm, layer_norm, [(20, 64), (64,), (64,)]),
    "blurs": (lambda x: topi.box_blurs(x, 2), lambda x: blurred(blurred(x)), [(20, 70)]),
}


@pytest.mark.parametrize("name", OPERATORS)
def test_operators(name):
    make, oracle, shapes = OPERATORS[name]
    arrays = [random(*shape) for shape in shapes]
    inputs = placeholders(*arrays)
    y = make(*inputs)
    expected = oracle(*arrays)
    assert tuple(int(extent) for extent in y.shape) == expected.shape
    out = np.zeros_like(expected)
    lathe.build([*inputs, y])(*arrays, out)
    np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-5)


def test_argmax_gives_index_and_value():
    x = random(20, 65)
    (X,) = placeholders(x)
    index, value = topi.argmax(X, axis=1)
    i, v = np.zeros(20, "int32"), np.zeros(20, "float32")
    lathe.build([X, index, value])(x, i, v)
    np.testing.assert_array_equal(i, x.argmax(1))
    np.testing.assert_array_equal(v, x.max(1))


def test_gelu_and_pictures():
    import math

    x = random(1000) * 8
    (X,) = placeholders(x)
    Y = te.compute((1000,), lambda i: topi.gelu(X[i]), name="Y")
    y = np.zeros_like(x)
    lathe.build([X, Y])(x, y)
    np.testing.assert_allclose(y, [v / 2 * (1 + math.erf(v / 2 ** 0.5)) for v in x], atol=4e-6)

    grey = np.full((100, 3), 77, "uint8")
    (P,) = placeholders(grey)
    yuv = np.zeros_like(grey)
    lathe.build([P, topi.rgb_to_yuv(P)])(grey, yuv)
    assert (yuv == [77, 128, 128]).all()


def test_what_reads_an_operator_is_computed_on_its_tiles():
    a, b = random(64, 48), random(48, 64)
    A, B = placeholders(a, b)
    C = topi.matmul(A, B)
    D = te.compute((64, 64), lambda i, j: te.max(C[i, j], 0.0), name="D")
    made = topi.schedule(D)
    assert [choice.by for choice in made.choices] == ["matmul"]
    d = np.zeros((64, 64), "float32")
    lathe.build(made.schedule, [A, B, D])(a, b, d)
    np.testing.assert_allclose(d, np.maximum(a @ b, 0), rtol=1e-4, atol=1e-5)


def test_a_configuration_sets_knobs():
    a, b = random(64, 48), random(48, 64)
    A, B = placeholders(a, b)
    C = topi.matmul(A, B)
    target = "llvm -mcpu=x86-64-v3"
    own = {knob.name: knob for knob in topi.schedule(C, target).knobs}
    rows = own["matmul.tile_rows"]
    assert rows.value == rows.otherwise and rows.low <= rows.value <= rows.high and rows.what
    config = {"matmul.tile_rows": 2, "matmul.pack": 1}
    made = topi.schedule(C, target, config)
    assert {name: value for name, value, *_ in made.knobs if name in config} == config
    assert str(made.schedule.trace) != str(topi.schedule(C, target).schedule.trace)
    assert str(lathe.default_schedule(C, target, config).trace) == str(made.schedule.trace)
    c = np.zeros((64, 64), "float32")
    lathe.build(topi.schedule(C, config=config).schedule, [A, B, C])(a, b, c)
    np.testing.assert_allclose(c, a @ b, rtol=1e-4, atol=1e-5)


def test_where_no_template_fits_the_reason_is_said():
    n = te.var("n")
    A, B = te.placeholder((n, 16), name="A"), te.placeholder((16, 32), name="B")
    (choice,) = topi.schedule(topi.matmul(A, B)).choices
    assert choice.by == "" and any(reason.startswith("matmul: ") for reason in choice.not_by)


@pytest.mark.parametrize("name, wrong", [
    ("topi-operand", lambda A: topi.matmul(A, te.placeholder((9, 8)))),
    ("topi-operand", lambda A: topi.matmul(A, te.placeholder((te.var("n"), 8)))),
    ("topi-operand", lambda A: topi.matmul(A, te.placeholder((8, 8), "float64"))),
    ("topi-operand", lambda A: topi.softmax(te.placeholder((8, 8), "int32"))),
    ("topi-operand", lambda A: topi.box_blurs(A, 10 ** 9)),
    ("topi-operand", lambda A: topi.concat_columns([])),
    ("topi-axis", lambda A: topi.sum(A, axis=2)),
    ("topi-axis", lambda A: topi.sum(A, axis=True)),
    ("topi-config-type", lambda A: topi.schedule(topi.sum(A), config=[1])),
    ("topi-unknown-knob", lambda A: topi.schedule(topi.sum(A), config={"gemm.rows": 1})),
    ("topi-knob-range", lambda A: topi.schedule(topi.softmax(A), config={"softmax.vectors": 0})),
])
def test_what_does_not_fit_is_said(name, wrong):
    with pytest.raises(lathe.LatheError) as caught:
        wrong(te.placeholder((8, 8), name="A"))
    assert caught.value.name == name
