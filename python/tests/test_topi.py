"""Operators with their own schedules and configurations, with NumPy as the oracle."""

import numpy as np
import pytest

import lathe
from lathe import te, tir, topi


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
    "sum": (topi.sum, lambda x: x.sum(), [(20, 65)]),
    "sum rows": (lambda x: topi.sum(x, 1), lambda x: x.sum(1), [(20, 65)]),
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
    index, value = topi.argmax_pairs(X, axis=1)
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
    ("graph-argument", lambda A: topi.softmax(te.placeholder((8, 8), "int32"))),
    ("topi-operand", lambda A: topi.box_blurs(A, 10 ** 9)),
    ("topi-operand", lambda A: topi.concat_columns([])),
    ("topi-axis", lambda A: topi.argmax_pairs(A, axis=2)),
    ("topi-axis", lambda A: topi.argmax_pairs(A, axis=True)),
    ("graph-attribute", lambda A: topi.sum(A, axis=2)),
    ("topi-operand-type", lambda A: topi.exp("x")),
    ("graph-argument", lambda A: topi.nn.upsampling(1.5, 2, 2)),
    ("graph-argument", lambda A: topi.nn.upsampling(A, 2, 2)),
    ("graph-attribute", lambda A: topi.nn.upsampling(te.placeholder((1, 2, 3, 4)), float("nan"), 2)),
    ("graph-attribute", lambda A: topi.nn.upsampling(te.placeholder((1, 2, 3, 4)), 2, float("inf"))),
    ("topi-padding", lambda A: topi.nn.utils.get_pad_tuple((1, 2, 3), (3, 3))),
    ("topi-layout", lambda A: topi.nn.conv2d(A, A, 1, 0, 1, layout="NCHWD")),
    ("topi-argument", lambda A: topi.nn.global_pool(A, "sum")),
    ("topi-not-constant", lambda A: topi.utils.get_const_int(te.var("n"))),
    ("topi-config-type", lambda A: topi.schedule(topi.sum(A), config=[1])),
    ("topi-unknown-knob", lambda A: topi.schedule(topi.sum(A), config={"gemm.rows": 1})),
    ("topi-knob-range", lambda A: topi.schedule(topi.softmax(A), config={"softmax.vectors": 0})),
])
def test_what_does_not_fit_is_said(name, wrong):
    with pytest.raises(lathe.LatheError) as caught:
        wrong(te.placeholder((8, 8), name="A"))
    assert caught.value.name == name


def computed(tensors, outputs, *arrays):
    """What a program computes, with the default schedule."""
    outputs = outputs if isinstance(outputs, list) else [outputs]
    results = [np.zeros([int(n) for n in out.shape], out.dtype) for out in outputs]
    lathe.build([*tensors, *outputs])(*arrays, *results)
    return results if len(results) > 1 else results[0]


def windows(data, weight, stride=1, padding=0, groups=1):
    """A convolution NCHW by NumPy."""
    data = np.pad(data, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    seen = np.lib.stride_tricks.sliding_window_view(data, weight.shape[2:], axis=(2, 3))[:, :, ::stride, ::stride]
    each = weight.shape[0] // groups
    parts = [np.einsum("ncyxij,fcij->nfyx", seen[:, g * weight.shape[1]:(g + 1) * weight.shape[1]],
                       weight[g * each:(g + 1) * each]) for g in range(groups)]
    return np.concatenate(parts, 1)


def max_pool(x):
    return x.reshape(*x.shape[:2], x.shape[2] // 2, 2, x.shape[3] // 2, 2).max((3, 5))


x4, w4 = (1, 4, 8, 8), (6, 4, 3, 3)
nhwc = (0, 2, 3, 1)
COMPUTES = {
    "add": (topi.add, np.add, [(2, 3, 4), (3, 1)]),
    "sugar": (lambda a, b: (a + b) * 2.0 - a / b, lambda a, b: (a + b) * 2 - a / b, [(5, 4), (4,)]),
    "reflected": (lambda a: 1.0 - a, lambda a: 1 - a, [(5, 4)]),
    "negative": (lambda a: -a, lambda a: -a, [(5, 4)]),
    "number": (lambda a: topi.maximum(a, 0.1), lambda a: np.maximum(a, 0.1), [(5, 4)]),
    "greater": (topi.greater, np.greater, [(5, 4), (4,)]),
    "sum of all": (topi.sum, np.sum, [(3, 4, 5)]),
    "sum of axes": (lambda a: topi.sum(a, axis=(0, 2), keepdims=True), lambda a: a.sum((0, 2), keepdims=True),
                    [(3, 4, 5)]),
    "argmax": (lambda a: topi.argmax(a, axis=1), lambda a: a.argmax(1), [(6, 9)]),
    "transpose": (topi.transpose, lambda a: a.transpose(2, 1, 0), [(3, 4, 5)]),
    "axes": (lambda a: topi.transpose(a, (1, 0, 2)), lambda a: a.transpose(1, 0, 2), [(3, 4, 5)]),
    "strided_slice": (lambda a: topi.strided_slice(a, [1, 0], [4, 4], [2, 1]), lambda a: a[1:4:2, :4], [(5, 6)]),
    "concatenate": (lambda *a: topi.concatenate(a, 1), lambda *a: np.concatenate(a, 1), [(2, 3), (2, 4)]),
    "stack": (lambda *a: topi.stack(a, 1), lambda *a: np.stack(a, 1), [(2, 3), (2, 3)]),
    "split": (lambda a: topi.split(a, [2, 3], axis=1)[2], lambda a: a[:, 3:], [(2, 6)]),
    "reshape": (lambda a: topi.reshape(a, (4, 3)), lambda a: a.reshape(4, 3), [(2, 6)]),
    "tensordot": (lambda a, b: topi.tensordot(a, b, 1), lambda a, b: np.tensordot(a, b, 1), [(2, 3, 4), (4, 5)]),
    "einsum": (lambda a, b: topi.einsum("ij,kj->ki", a, b), lambda a, b: b @ a.T, [(2, 3), (4, 3)]),
    "matmul": (lambda a, b: topi.matmul(a, b, True, True), lambda a, b: a.T @ b.T, [(3, 2), (4, 3)]),
    "elemwise_sum": (lambda *a: topi.elemwise_sum(a), lambda *a: sum(a), [(2, 3)] * 3),
    "full_like": (lambda a: topi.full_like(a, 3.0) + a, lambda a: a + 3, [(2, 3)]),
    "flip": (lambda a: topi.flip(a, 1), lambda a: a[:, ::-1], [(2, 5)]),
    "cumsum": (lambda a: topi.cumsum(a, axis=1), lambda a: a.cumsum(1), [(2, 5)]),
    "sort": (topi.sort, lambda a: np.sort(a), [(3, 7)]),
    "clip": (lambda a: topi.clip(a, -0.2, 0.2), lambda a: a.clip(-0.2, 0.2), [(3, 7)]),
    "cast": (lambda a: topi.cast(a * 100.0, "int32"), lambda a: (a * 100).astype("int32"), [(3, 7)]),
    "relu": (topi.nn.relu, lambda a: np.maximum(a, 0), [(3, 7)]),
    "pad": (lambda a: topi.nn.pad(a, (1, 0), (0, 2), 5.0),
            lambda a: np.pad(a, ((1, 0), (0, 2)), constant_values=5), [(3, 4)]),
    "dense": (topi.nn.dense, lambda a, b, c: a @ b.T + c, [(3, 8), (5, 8), (5,)]),
    "batch_matmul": (topi.nn.batch_matmul, lambda a, b: a @ b.transpose(0, 2, 1), [(2, 3, 8), (2, 5, 8)]),
    "softmax of 3": (lambda a: topi.nn.softmax(a, axis=1),
                     lambda a: np.exp(a) / np.exp(a).sum(1, keepdims=True), [(2, 3, 4)]),
    "conv2d_nchw": (lambda d, w: topi.nn.conv2d_nchw(d, w, 2, 1, 1), lambda d, w: windows(d, w, 2, 1), [x4, w4]),
    "conv2d SAME": (lambda d, w: topi.nn.conv2d(d, w, 1, "SAME", 1), lambda d, w: windows(d, w, 1, 1), [x4, w4]),
    "conv2d_nhwc": (lambda d, w: topi.nn.conv2d_nhwc(d, w, 1, 1, 1),
                    lambda d, w: windows(d.transpose(0, 3, 1, 2), w.transpose(3, 2, 0, 1), 1, 1).transpose(nhwc),
                    [(1, 8, 8, 4), (3, 3, 4, 6)]),
    "conv2d_hwcn": (lambda d, w: topi.nn.conv2d_hwcn(d, w, 1, 0, 1),
                    lambda d, w: windows(d.transpose(3, 2, 0, 1), w.transpose(3, 2, 0, 1)).transpose(2, 3, 1, 0),
                    [(8, 8, 4, 2), (3, 3, 4, 6)]),
    "group_conv2d": (lambda d, w: topi.nn.group_conv2d_nchw(d, w, 1, 1, 1, 2), lambda d, w: windows(d, w, 1, 1, 2),
                     [x4, (6, 2, 3, 3)]),
    "depthwise": (lambda d, w: topi.nn.depthwise_conv2d_nchw(d, w, 1, 1, 1),
                  lambda d, w: windows(d, w.reshape(8, 1, 3, 3), 1, 1, 4), [x4, (4, 2, 3, 3)]),
    "pool2d": (lambda a: topi.nn.pool2d(a, [2, 2], [2, 2], [1, 1], [0] * 4, "max"), max_pool, [x4]),
    "global_pool": (lambda a: topi.nn.global_pool(a, "avg"), lambda a: a.mean((2, 3), keepdims=True), [x4]),
    "batch_norm": (lambda x, g, b, m, v: topi.nn.batch_norm(x, g, b, m, topi.exp(v))[0],
                   lambda x, g, b, m, v: (x - m[:, None, None]) / np.sqrt(np.exp(v) + 1e-5)[:, None, None]
                   * g[:, None, None] + b[:, None, None], [x4, (4,), (4,), (4,), (4,)]),
    "resize": (lambda a: topi.image.resize2d(a, None, (16, 16), method="nearest_neighbor",
                                             coordinate_transformation_mode="asymmetric"),
               lambda a: a.repeat(2, 2).repeat(2, 3), [x4]),
}


@pytest.mark.parametrize("name", sorted(COMPUTES))
def test_computes(name):
    """Operators under TVM's names, by the default schedule, against NumPy."""
    make, reference, shapes = COMPUTES[name]
    arrays = [np.random.default_rng(i).random(shape, "float32") - 0.5 for i, shape in enumerate(shapes)]
    tensors = placeholders(*arrays)
    result = computed(tensors, make(*tensors), *arrays)
    np.testing.assert_allclose(result, reference(*arrays), rtol=1e-4, atol=1e-5)


def test_indices_and_several_results():
    a = te.placeholder((4, 5), name="a")
    i = te.placeholder((3,), "int32", name="i")
    data, index = random(4, 5), np.array([2, 0, 3], "int32")
    np.testing.assert_array_equal(computed([a, i], topi.take(a, i, axis=0), data, index), data[index])
    np.testing.assert_array_equal(computed([a, i], topi.take(a, i), data, index), data.ravel()[index])
    values, places = computed([a], topi.topk(a, 2, axis=1), data)
    np.testing.assert_array_equal(places, np.argsort(-data, 1)[:, :2])
    np.testing.assert_array_equal(values, -np.sort(-data, 1)[:, :2])
    hot = computed([i], topi.one_hot(i, 1.0, 0.0, 4, -1, "float32"), index)
    np.testing.assert_array_equal(hot, np.eye(4, dtype="float32")[index])
    np.testing.assert_array_equal(computed([], topi.arange(2, 11, 3, "int32")), [2, 5, 8])


def test_expressions_stay_expressions():
    n = te.var("n")
    assert not isinstance(topi.add(n, 1), te.Tensor) and not isinstance(topi.maximum(1.0, 2.0), te.Tensor)


def test_symbolic_shapes():
    n, m = te.var("n"), te.var("m")
    A = te.placeholder((n, m), name="A")
    f = lathe.build([A, topi.sum(A, axis=1)])
    for shape in ((3, 4), (17, 129)):
        data, out = random(*shape), np.zeros(shape[:1], "float32")
        f(data, out)
        np.testing.assert_allclose(out, data.sum(1), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("module", [topi.generic, topi.x86, topi.arm_cpu])
def test_schedules_by_target(module):
    x, w = te.placeholder(x4, name="x"), te.placeholder(w4, name="w")
    data, weight = random(*x4), random(*w4)
    with lathe.Target("llvm"):
        for scheduled, y in ((module.schedule_conv2d_nchw, topi.nn.relu(topi.nn.conv2d_nchw(x, w, 1, 1, 1))),
                             (module.schedule_reduce, topi.sum(topi.nn.conv2d_nchw(x, w, 1, 1, 1), axis=1))):
            s, out = scheduled([y]), np.zeros([int(n) for n in y.shape], "float32")
            lathe.build(s, [x, w, y])(data, weight, out)
            full = windows(data, weight, 1, 1)
            want = np.maximum(full, 0) if out.ndim == 4 else full.sum(1)
            np.testing.assert_allclose(out, want, rtol=1e-4, atol=1e-5)


def test_one_door():
    """All schedules are what topi.schedule makes."""
    A = te.placeholder((20, 65), name="A")
    B = topi.nn.softmax(A)
    made = topi.schedule(B, "llvm -mcpu=x86-64-v3")
    assert made.choices[0].by == "softmax"
    with lathe.Target("llvm -mcpu=x86-64-v3"):
        same = topi.x86.schedule_softmax(B)
    assert str(lathe.lower(same, [A, B])) == str(lathe.lower(made.schedule, [A, B]))
    assert topi.schedule(topi.sum(A, 1)).choices[0].by != ""


def test_helpers():
    assert topi.testing.dispatch("llvm", {"generic": 1}) == 1
    with pytest.raises(KeyError):
        topi.testing.dispatch("llvm", {"cuda": 1})
    assert topi.nn.utils.get_pad_tuple3d("SAME", (3, 3, 4)) == (1, 1, 2, 1, 1, 1)
    assert topi.nn.utils.get_pad_tuple("SAME", (2, 5)) == (1, 2, 0, 2)
    assert topi.utils.unravel_index(topi.utils.ravel_index((1, 2, 3), (2, 3, 4)), (2, 3, 4)) == [1, 2, 3]


def test_same_pads_more_before_an_even_window():
    """As TVM does, and unlike other frameworks."""
    data = np.array([1, 2, 3, 4], "float32").reshape(1, 1, 1, 4)
    weight = np.array([1, 10, 100, 1000], "float32").reshape(1, 1, 1, 4)
    want = [2100, 3210, 4321, 432]  # of 0 0 1 2 3 4 0
    assert made_by(lambda d, w: topi.nn.conv2d(d, w, 1, "SAME", 1), data, weight).flatten().tolist() == want
    assert topi.testing.conv2d_nchw_python(data, weight, 1, "SAME").flatten().tolist() == want


# Operators computed by NumPy (`topi.testing`) beside the operators themselves.
IMAGE = np.random.default_rng(1).random((2, 4, 5, 6), dtype="float32")


def made_by(make, *arrays):
    tensors = [te.placeholder(a.shape, str(a.dtype)) for a in arrays]
    out = make(*tensors)
    made = lathe.nd.empty([int(n) for n in out.shape], out.dtype)
    lathe.build([*tensors, out], target="llvm")(*arrays, made)
    return made.numpy()


@pytest.mark.parametrize("method", ["nearest_neighbor", "linear", "cubic"])
@pytest.mark.parametrize("mode", ["align_corners", "asymmetric", "half_pixel"])
def test_the_oracle_of_resizing(method, mode):
    found = made_by(lambda x: topi.image.resize2d(x, [0.0] * 4, (10, 18), method=method, coordinate_transformation_mode=mode), IMAGE)
    np.testing.assert_allclose(topi.testing.resize2d_python(IMAGE, (2, 3), "NCHW", method, mode), found, atol=1e-5)


@pytest.mark.parametrize("name, make, oracle, others", [
    ("conv2d", lambda x, w: topi.nn.conv2d_nchw(x, w, 2, 1, 1),
     lambda x, w: topi.testing.conv2d_nchw_python(x, w, 2, 1), [(3, 4, 3, 3)]),
    ("group_conv2d", lambda x, w: topi.nn.group_conv2d_nchw(x, w, 1, 1, 1, 2),
     lambda x, w: topi.testing.conv2d_nchw_python(x, w, 1, 1, 2), [(6, 2, 3, 3)]),
    ("conv2d_transpose", lambda x, w: topi.nn.conv2d_transpose_nchw(x, w, (2, 2), (1, 1), "float32", (1, 0)),
     lambda x, w: topi.testing.conv2d_transpose_nchw_python(x, w, 2, 1, (1, 0)), [(4, 3, 3, 3)]),
    ("softmax", lambda x: topi.nn.softmax(x, axis=1), topi.testing.softmax_python, []),
    ("log_softmax", lambda x: topi.nn.log_softmax(x, axis=1), topi.testing.log_softmax_python, []),
    ("lrn", lambda x: topi.nn.lrn(x, 3, 1, 0.5, 0.75, 2), lambda x: topi.testing.lrn_python(x, 3, 1, 2, 0.5, 0.75), []),
    ("max_pool", lambda x: topi.nn.pool2d(x, (2, 3), (2, 1), (1, 1), (1, 0, 0, 1), "max"),
     lambda x: topi.testing.poolnd_python(x, (2, 3), (2, 1), (1, 1), (1, 0), (0, 1), "max"), []),
    ("adaptive", lambda x: topi.nn.adaptive_pool(x, (3, 4), "avg"),
     lambda x: topi.testing.adaptive_pool(x, (3, 4), "avg", "NCHW"), []),
    ("depth_to_space", lambda x: topi.nn.depth_to_space(x, 2), lambda x: topi.testing.depth_to_space_python(x, 2), []),
    ("strided_slice", lambda x: topi.strided_slice(x, [0, 3], [2, 0], [1, -2]),
     lambda x: topi.testing.strided_slice_python(x, [0, 3], [2, 0], [1, -2]), []),
])
def test_the_oracle_of(name, make, oracle, others):
    arrays = [IMAGE, *(np.random.default_rng(2).random(shape, dtype="float32") for shape in others)]
    np.testing.assert_allclose(oracle(*arrays), made_by(make, *arrays), rtol=1e-4, atol=1e-5)


def test_what_no_oracle_knows_is_refused():
    for wrong in ({"method": "lanczos"}, {"coordinate_transformation_mode": "pixels"}):
        with pytest.raises(ValueError, match="oracle-resize"):
            topi.testing.resize2d_python(IMAGE, (2, 2), **wrong)


def test_numbers_are_no_stages_and_stages_have_names():
    A = te.placeholder((4, 4), name="A")
    for value in (0.0, 2, tir.const(1.0), te.const(3.0, "float32") * 2.0):
        padded = topi.nn.pad(A, (1, 1), pad_value=value, name="framed")
        assert padded.op.name == "framed" and [one.name for one in padded.op.input_tensors] == ["A"]
    out = topi.add(topi.nn.relu(topi.nn.pad(A, (1, 1), pad_value=tir.const(1.0))), 0.5)
    names = [stage.name for stage in te.create_schedule(out.op).stages]
    assert names == ["A", "PadInput", "relu", "add"]
    assert topi.nn.dilate(A, (2, 2), name="wide").op.name == "wide"
    assert topi.full((2,), "float32", 7.0).op.input_tensors == () and topi.sum(A, axis=1).op.name == "sum"
    assert topi.nn.simulated_quantize(A, 1, 0.5, 1).op.input_tensors == (A,)
    x, y = random(4, 4), np.zeros((6, 6), "float32")
    lathe.build([A, out], target="llvm")(x, y)
    np.testing.assert_array_equal(y, np.maximum(np.pad(x, 1, constant_values=1), 0) + np.float32(0.5))
