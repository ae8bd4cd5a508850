"""Functions of topi that are compositions of others, and the numbers that schedules of TVM 0.9 take out of shapes."""

import numpy as np
import pytest
from composed import RANDOM, close, normal, of_relay
from expect import named as refused

import lathe
from lathe import relay, te, topi


def run(build, *arrays):
    """The result, or the list of results, of `build` applied to placeholders."""
    inputs = [te.placeholder(one.shape, str(one.dtype), f"x{i}") for i, one in enumerate(arrays)]
    made = build(*inputs)
    results = made if isinstance(made, list) else [made]
    found = [np.zeros([int(n) for n in one.shape], one.dtype) for one in results]
    lathe.build([*inputs, *results], target="llvm")(*arrays, *found)
    return found if isinstance(made, list) else found[0]


def same(build, of_graphs, *arrays):
    """`build` gives what the operator of graphs gives.

    topi's function is made of that operator, so this shows that its stages compute what the graph does, and that it
    takes the arguments in TVM's order; test_relay_composed.py compares the operator itself with NumPy.
    """
    found, want = run(build, *arrays), of_relay(of_graphs, *arrays)
    for one, other in zip(found, want) if isinstance(found, list) else ((found, want),):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def test_images():
    x, w = normal(2, 3, 9, 8), normal(3, 3, 2)
    same(lambda a, b: topi.image.dilation2d_nchw(a, b, 2, (1, 0), (1, 2)),
         lambda a, b: relay.image.dilation2d(a, b, 2, (1, 0), (1, 2)), x, w)
    same(lambda a, b: topi.image.dilation2d_nhwc(a, b, (2, 1), "SAME", 1, "float64"),
         lambda a, b: relay.image.dilation2d(a, b, (2, 1), (1, 1, 1, 0), 1, "NHWC", "HWI", "float64"),
         x.transpose(0, 2, 3, 1).copy(), w.transpose(1, 2, 0).copy())
    same(lambda a, b: topi.nn.correlation_nchw(a, b, 3, 2, 2, 2, 3, False),
         lambda a, b: relay.nn.correlation(a, b, 3, 2, 2, 2, 3, False, "NCHW"), x, normal(2, 3, 9, 8))
    same(lambda a, b: topi.image.dilation2d_nchw(a, b, 1, "SAME", (2, 3)),  # as many zeros as the dilated window needs
         lambda a, b: relay.image.dilation2d(a, b, 1, (2, 2, 2, 1), (2, 3)), x, w)


def linear(x, axis, extent):
    """Linear interpolation along an axis; the centre of place i of the result is at (i + 1/2) / extent of the data."""
    at = (np.arange(extent) + 0.5) * x.shape[axis] / extent - 0.5
    low = np.floor(at).astype(int)
    share = (at - low).reshape([-1 if i == axis else 1 for i in range(x.ndim)])
    first, second = (np.take(x, np.clip(places, 0, x.shape[axis] - 1), axis=axis) for places in (low, low + 1))
    return first * (1 - share) + second * share


def test_volumes():
    x = normal(1, 3, 4, 2, 3)
    found = run(lambda a: topi.nn.upsampling3d(a, 2, 1, 3, "NCDHW", "trilinear"), x)
    close(found, linear(linear(x, 2, 8), 4, 9))
    near = x.repeat(2, axis=2).repeat(3, axis=4)
    close(run(lambda a: topi.nn.upsampling3d(a, 2, 1, 3, "NCDHW", "nearest_neighbor", "asymmetric"), x), near)
    turned = x.transpose(0, 2, 3, 4, 1).copy()
    found = run(lambda a: topi.nn.upsampling3d(a, 2, 1, 3, "NDHWC", "trilinear"), turned)
    close(found.transpose(0, 4, 1, 2, 3), linear(linear(x, 2, 8), 4, 9))


def test_volumes_of_a_given_shape():
    x = normal(1, 3, 4, 2, 3)
    found = run(lambda a: topi.nn.upsampling3d(a, 2, 2, 2, "NCDHW", "trilinear", output_shape=(1, 3, 5, 3, 7)), x)
    close(found, linear(linear(linear(x, 2, 5), 3, 3), 4, 7))


@pytest.mark.parametrize("kind, count", [("max", True), ("avg", True), ("avg", False)])
def test_gradients_of_pools(kind, count):
    data = normal(1, 2, 7, 6)
    grad = normal(*topi.nn.pool2d(te.placeholder(data.shape), [3, 2], [2, 2], [1, 1], [1, 0, 0, 1], kind, True).shape)
    found = run(lambda g, x: topi.nn.pool_grad(g, x, [3, 2], [2, 2], [1, 0, 0, 1], kind, True,
                                               count_include_pad=count), grad, data)
    close(found, topi.testing.pool_grad_nchw(data, grad, (3, 2), (2, 2), (1, 0, 0, 1), kind, True, count))
    refused("topi-argument", lambda: topi.nn.pool_grad(te.placeholder((1,)), te.placeholder((1,)), 1, 1, 0, "sum"))


@pytest.mark.parametrize("stride, padding, times", [(1, 1, 1), (2, "SAME", 2)])
def test_gradients_of_depthwise_convolutions(stride, padding, times):
    x, w = normal(2, 7, 8, 3), normal(3, 3, 3, times)
    shape = [int(n) for n in topi.nn.depthwise_conv2d_nhwc(
        te.placeholder(x.shape), te.placeholder(w.shape), stride, padding, 1).shape]
    grad = normal(*shape)
    padded, of_w = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0))).astype("float64"), np.zeros(w.shape)
    of_x = np.zeros(padded.shape)
    for n, i, j, c, t, a, b in np.ndindex(*shape[:3], 3, times, 3, 3):
        g, row, column = grad[n, i, j, c * times + t], i * stride + a, j * stride + b
        of_x[n, row, column, c] += g * w[a, b, c, t]
        of_w[a, b, c, t] += g * padded[n, row, column, c]
    close(run(lambda f, g: topi.nn.depthwise_conv2d_backward_input_nhwc(f, g, shape, x.shape, stride, padding), w,
              grad), of_x[:, 1:-1, 1:-1])
    close(run(lambda d, g: topi.nn.depthwise_conv2d_backward_weight_nhwc(d, g, shape, w.shape, stride, padding), x,
              grad), of_w)


def test_deformable_convolutions():
    x, offset, w = normal(1, 4, 6, 5), normal(1, 2 * 2 * 6, 6, 4), normal(6, 2, 2, 3)
    attrs = (1, (1, 1, 0, 0), 1, 2, 2, "float32")
    found = run(lambda *a: topi.nn.deformable_conv2d_nchw(*a, *attrs), x, offset, w)
    close(found, of_relay(lambda a, o, f: relay.nn.deformable_conv2d(
        a, o, f, strides=1, padding=(1, 1, 0, 0), deformable_groups=2, groups=2), x, offset, w))
    turned = [one.transpose(order).copy() for one, order in ((x, (0, 2, 3, 1)), (offset, (0, 2, 3, 1)),
                                                            (w, (2, 3, 1, 0)))]
    close(run(lambda *a: topi.nn.deformable_conv2d_nhwc(*a, *attrs), *turned).transpose(0, 3, 1, 2), found)


def test_layouts():
    x, scale, shift = normal(1, 2, 3, 3, 4), normal(2, 4), normal(2, 4)
    found = run(topi.nn.scale_shift_nchwc, x, scale, shift)
    close(found, x * scale[:, None, None] + shift[:, None, None])
    found = run(lambda a: topi.nn.unpack_NCHWc_to_nchw(a, "float64"), x)
    assert found.dtype == "float64"
    close(found, x.transpose(0, 1, 4, 2, 3).reshape(1, 8, 3, 3))
    rois = np.array([[0, 1, 1, 6, 5], [0, 0, 2, 3, 7]], "float32")
    image = normal(1, 3, 8, 8)
    turned = image.transpose(0, 2, 3, 1).copy()
    found = run(lambda a, r: topi.vision.roi_align_nhwc(a, r, 3, 0.5, "max", 2), turned, rois)
    close(found.transpose(0, 3, 1, 2), of_relay(lambda a, r: relay.vision.roi_align(
        a, r, (3, 3), 0.5, sample_ratio=2, mode="max"), image, rois))


def test_products_in_blocks():
    x, w, bias = normal(3, 8), normal(2, 8, 4), normal(8)
    found = run(lambda a, b, c: topi.nn.dense_pack(a, b, c, "float64"), x, w, bias.astype("float64"))
    assert found.dtype == "float64"
    close(found, np.concatenate([x @ w[0], x @ w[1]], axis=1) + bias)
    x, w = RANDOM.integers(0, 9, (1, 2, 6, 5, 8)).astype("uint8"), RANDOM.integers(-9, 9, (3, 2, 3, 3, 2, 4, 4))
    found = run(lambda a, b: topi.nn.conv2d_NCHWc_int8(a, b, 1, (1, 1), 1, "NCHW8c", "NCHW4c"), x, w.astype("int8"))
    whole = w.transpose(0, 5, 1, 4, 6, 2, 3).reshape(12, 16, 3, 3)
    want = topi.testing.conv2d_nchw_python(x.transpose(0, 1, 4, 2, 3).reshape(1, 16, 6, 5).astype("int32"), whole, 1, 1)
    np.testing.assert_array_equal(found.transpose(0, 1, 4, 2, 3).reshape(want.shape), want)


def test_results_with_their_number():
    x = np.array([3, 1, 3, 3, 7, 1], "int32")
    values, counts = np.unique(x, return_counts=True)
    found = run(lambda a: topi.unique(a, return_counts=True), x)
    assert found[3][0] == 3
    np.testing.assert_array_equal(found[0][:3], values)
    np.testing.assert_array_equal(found[1][:3], np.unique(x, return_index=True)[1])
    np.testing.assert_array_equal(found[2], np.unique(x, return_inverse=True)[1])
    np.testing.assert_array_equal(found[4][:3], counts)
    boxes = np.array([[[0, 0, 1, 1], [0, 0, 1, 0.9], [2, 2, 3, 3]]], "float32")
    scores = np.array([[[0.5, 0.8, 0.3], [0.1, 0.2, 0.9]]], "float32")
    places, number = run(lambda a, b: topi.vision.all_class_non_max_suppression(a, b, 2, 0.5, 0.15), boxes, scores)
    assert places[:number[0]].tolist() == [[0, 0, 1], [0, 0, 2], [0, 1, 2], [0, 1, 1]]


def test_queues_and_softmax():
    data, kept = normal(2, 3), normal(2, 5)
    close(run(lambda a, b: topi.nn.fifo_buffer(a, b, 1), data, kept), np.concatenate([kept, data], axis=1)[:, 3:])
    part = np.exp(data)
    close(run(lambda a: topi.nn.softmax_common(a, 0, True), data), part / part.sum(axis=0))


def test_sparse_matrices():
    matrix = normal(5, 5) * (RANDOM.random((5, 5)) < 0.4)
    rows, columns = np.nonzero(matrix)
    parts = matrix[rows, columns], columns.astype("int32"), np.searchsorted(rows, np.arange(6)).astype("int32")
    x = normal(4, 5)
    close(run(topi.nn.sparse_dense, x, *parts), x @ matrix.T)
    close(run(topi.nn.sparse_dense_sp_rhs, x, *parts), x @ matrix.T)
    close(run(topi.nn.sparse_dense_sp_lhs, *parts, x), matrix @ x.T)
    close(run(topi.nn.sparse_add, normal(5, 5) * 0, *parts), matrix)
    values, places, begins = run(topi.nn.sparse_transpose, *parts)
    turned = np.zeros((5, 5), "float32")
    turned[np.searchsorted(begins, np.arange(len(places)), side="right") - 1, places] = values
    close(turned, matrix.T)
    image = normal(2, 3, 4, 5)
    close(run(topi.nn.sparse_conv2d, image, *parts), image @ matrix.T)
    found = run(lambda *a: topi.nn.sparse_conv2d(*a, layout="NCHW"), image.transpose(0, 3, 1, 2).copy(), *parts)
    close(found.transpose(0, 2, 3, 1), image @ matrix.T)
    refused("topi-argument", lambda: topi.nn.sparse_conv2d(*map(te.placeholder, ((1,),) * 4), kernel_size=3))


def test_numbers_of_a_few_bits():
    x, w = RANDOM.integers(0, 4, (3, 64)).astype("uint8"), RANDOM.integers(0, 4, (2, 64)).astype("uint8")
    same(lambda a: topi.nn.bitpack(a, 2, 1, 0, "uint32"), lambda a: relay.nn.bitpack(a, 2, 1, 0, "uint32"), x)
    found = run(lambda a, b: topi.nn.bitserial_dense(a, b, 2, 2, unipolar=False), x, w)
    np.testing.assert_array_equal(found, x.astype("int16") @ w.T.astype("int16"))
    x, w = RANDOM.integers(0, 4, (1, 4, 6, 6)).astype("uint8"), RANDOM.integers(0, 2, (2, 4, 3, 3)).astype("uint8")
    want = topi.testing.conv2d_nchw_python(x.astype("int32"), 2 * w.astype("int32") - 1, 2, 1)
    np.testing.assert_array_equal(run(lambda a, b: topi.nn.bitserial_conv2d_nchw(a, b, 2, 1, 2, 1), x, w), want)
    turned = x.transpose(0, 2, 3, 1).copy(), w.transpose(2, 3, 1, 0).copy()
    found = run(lambda a, b: topi.nn.bitserial_conv2d_nhwc(a, b, 2, 1, 2, 1, out_dtype="int32"), *turned)
    np.testing.assert_array_equal(found.transpose(0, 3, 1, 2), want)


def test_detection():
    image = normal(1, 8, 4, 6)
    same(lambda a: topi.vision.reorg(a, 2), lambda a: relay.vision.yolo_reorg(a, 2), image)
    more = {"sizes": (0.3, 0.9), "ratios": (1.0, 2.0), "clip": True}
    same(lambda a: topi.vision.multibox_prior(a, **more), lambda a: relay.vision.multibox_prior(a, **more), image)
    prob, moves = RANDOM.random((2, 3, 8)).astype("float32"), normal(2, 32)
    anchors = np.array([[[0.1, 0.1, 0.5, 0.6]]], "float32") + RANDOM.random((1, 8, 1), "float32") / 5
    same(lambda *a: topi.vision.multibox_transform_loc(*a, True, 0.5),
         lambda *a: relay.vision.multibox_transform_loc(*a, True, 0.5), prob, moves, anchors)
    found = run(lambda *a: topi.vision.multibox_detection(*a, threshold=0.5, nms_threshold=0.3), prob, moves, anchors)
    boxes, counts = of_relay(lambda *a: relay.vision.multibox_transform_loc(*a, threshold=0.5), prob, moves, anchors)
    for one, count, made in zip(boxes, counts, found):
        kept = []
        for row in one[:count][np.argsort(-one[:count, 1], kind="stable")]:
            if all(overlap(row, other) < 0.3 for other in kept if other[0] == row[0]):
                kept.append(row)
        close(made[made[:, 0] >= 0], np.array(kept).reshape(-1, 6))


def overlap(one, other):
    sides = np.maximum(np.minimum(one[4:], other[4:]) - np.maximum(one[2:4], other[2:4]), 0)
    both = sides.prod()
    return both / max(sum((box[4:] - box[2:4]).prod() for box in (one, other)) - both, 1e-9)


def test_proposals():
    attrs = ((2.0,), (0.5, 1.0), 8, 0.5, 20, 6, 4, False)
    prob, moves = RANDOM.permutation(80).reshape(1, 4, 4, 5).astype("float32") / 80, normal(1, 8, 4, 5) * 0.3
    same(lambda *a: topi.vision.proposal(*a, *attrs), lambda *a: relay.vision.proposal(*a, *attrs), prob, moves,
         np.array([[32, 40, 1]], "float32"))
    assert topi.vision.generate_anchor(0.5, 8, 16) == (-84.0, -40.0, 99.0, 55.0)


def test_places():
    x, i, j = normal(4, 5, 6), np.array([[3], [0], [1]]), np.array([4, 2])
    np.testing.assert_array_equal(run(lambda a, b, c: topi.adv_index(a, [b, c]), x, i, j), x[i, j])
    order = RANDOM.permutation(7).astype("int32")
    np.testing.assert_array_equal(run(topi.invert_permutation, order), np.argsort(order))
    found = run(lambda a: topi.sliding_window(a, 1, (2, 3), (2, 1)), x)
    np.testing.assert_array_equal(
        found, np.lib.stride_tricks.sliding_window_view(x, (2, 3), axis=(1, 2))[:, ::2])
    line, want = normal(4, 4), x.copy()
    for n in range(4):
        want[:, n + 1, n] = line[:, n]
    np.testing.assert_array_equal(run(lambda a, b: topi.matrix_set_diag(a, b, -1), x, line), want)
    places = np.array([5, 29, 0], "int64")
    np.testing.assert_array_equal(run(topi.unravel_index, places, np.array([2, 3, 5])),
                                  np.stack(np.unravel_index(places, (2, 3, 5))))
    same(topi.sparse_reshape, relay.sparse_reshape, np.array([[0, 1], [1, 2]]), np.array([2, 3]), np.array([-1, 2]))
    line = normal(5)
    np.testing.assert_array_equal(run(lambda a, b: topi.expand_like(a, b, (0, -1)) + b * 0, line, x),
                                  np.broadcast_to(line[:, None], x.shape))
    np.testing.assert_array_equal(run(lambda a, b: topi.expand_like(a, b, 0) + b * 0, x[0], x),
                                  np.broadcast_to(x[0], x.shape))
    one = normal(1)
    np.testing.assert_array_equal(run(lambda a, b: topi.expand_like(a, b, (0, 1, 2)) + b * 0, one, x),
                                  np.broadcast_to(one, x.shape))


def test_spectra():
    signal = normal(2, 32)
    parts = np.lib.stride_tricks.sliding_window_view(signal, 8, axis=1)[:, ::4]
    for onesided, count in ((True, 5), (False, 8)):
        want = np.fft.fft(parts, axis=2)[..., :count].transpose(0, 2, 1)
        found = run(lambda a: topi.stft(a, 8, 4, 8, None, False, onesided), signal)
        close(found, np.stack([want.real, want.imag], axis=-1))


def test_elements():
    x = RANDOM.integers(-2000, 2000, 9).astype("int32")
    same(lambda a: topi.math.fixed_point_multiply(a, 1518500250, 3),
         lambda a: relay.fixed_point_multiply(a, 1518500250, 3), x)
    bits = normal(3)
    np.testing.assert_array_equal(run(lambda a: topi.math.reinterpret(a, "int32"), bits), bits.view("int32"))
    np.testing.assert_array_equal(run(lambda a: topi.math.left_shift(a, 2), x), x << 2)
    for dtype in ("int32", "int64", "float32"):
        powers = np.array([1, 2, 3, 4, 5, 8, 9, 2**20, 2**20 + 1], dtype)
        found = run(lambda a: te.compute(a.shape, lambda i: topi.math.ceil_log2(a[i])), powers)
        np.testing.assert_array_equal(found, np.ceil(np.log2(powers)).astype(dtype))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "uint32", "int64", "uint64"])
def test_logarithms_of_integers(dtype):
    most = np.iinfo(dtype).max
    numbers = [n for p in range(64) for n in (2**p - 1, 2**p, 2**p + 1) if 1 <= n <= most] + [int(most)]
    found = run(lambda a: te.compute(a.shape, lambda i: topi.math.ceil_log2(a[i])), np.array(numbers, dtype))
    assert found.tolist() == [(n - 1).bit_length() for n in numbers]


def stepped(x, wi, wh, layout, reverse, bias=0, h=0, c=0, proj=None, peep=(0, 0, 0)):
    def sigmoid(a):
        return 1 / (1 + np.exp(-a))

    outputs, memories = [], []
    h = np.zeros((x.shape[1], wh.shape[1])) + h
    for one in x[::-1] if reverse else x:
        gates = dict(zip(layout, np.split(one @ wi.T + h @ wh.T + bias, 4, axis=1)))
        c = sigmoid(gates["F"] + peep[1] * c) * c + sigmoid(gates["I"] + peep[0] * c) * np.tanh(gates["G"])
        h = sigmoid(gates["O"] + peep[2] * c) * np.tanh(c)
        h = h if proj is None else h @ proj.T
        outputs.append(h)
        memories.append(c)
    return np.stack(outputs), np.stack(memories)


def test_memories():
    x, wi, wh = normal(5, 2, 3), normal(16, 3), normal(16, 4)
    for layout, reverse in (("IFGO", False), ("OFIG", True)):
        found = run(lambda *a: topi.nn.lstm(*a, reverse=reverse, weight_layout=layout), x, wi, wh)
        for one, want in zip(found, stepped(x, wi, wh, layout, reverse)):
            close(one, want)
    bias, wh, proj, h, c = normal(16), normal(16, 2), normal(2, 4), normal(2, 2), normal(2, 4)
    peep = normal(3, 2, 4)
    found = run(topi.nn.lstm, x, wi, wh, bias, bias * 2, h, c, proj, *peep)
    for one, want in zip(found, stepped(x, wi, wh, "IFGO", False, bias * 3, h, c, proj, peep)):
        close(one, want)
    tensors = [te.placeholder(shape) for shape in ((1, 1, 1), (4, 1), (4, 1))]
    refused("topi-argument", lambda: topi.nn.lstm(*tensors, weight_layout="IFJO"))


def test_indices_of_slices():
    i = te.var("i")
    for b, e, s, extent in ((1, 8, 3, 9), (7, 0, -2, 8), (9, 2, -3, 8)):
        clamped = min(b, extent - 1) if s < 0 else b
        taken = list(range(clamped, e, s))
        for at in range(extent):
            inside = topi.utils.simplify(topi.utils.within_index(clamped, e, s, at))
            assert bool(inside.value) == (at in taken)
            if at in taken:
                assert topi.utils.simplify(topi.utils.make_idx(b, e, s, extent, at)).value == taken.index(at)
    assert topi.utils.within_index(i, 8, 2, 3).dtype == "bool" and topi.utils.make_idx(i, 8, 2, 9, 3).dtype == "int32"


def test_shapes_and_layouts():
    assert topi.utils.get_shape((1, 8, 3, 3), "NCHW", "NHWC") == (1, 3, 3, 8)
    assert topi.utils.swap((1, 2, 3), 1) == [1, 3, 2]
    known = np.arange(6, dtype="float32").reshape(2, 3)
    matrix = topi.utils.const_matrix(known)
    np.testing.assert_array_equal(run(lambda x: x + matrix, known), known * 2)
    assert [one for one in ("NCW8c", "NCW1n8c", "NWC", "NCHW8c") if topi.utils.ncw_xc_layout(one)] == ["NCW8c"]
    assert not topi.utils.nchw_pack_layout("NHWC1n8c") and not topi.utils.ncw_pack_layout("NCW8c")
    with lathe.target.Target("llvm"):
        assert topi.utils.is_target("llvm") and not topi.utils.is_target(["gpu"])
