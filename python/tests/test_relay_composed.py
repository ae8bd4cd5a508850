"""Operators of TVM 0.9 that are compositions of others, compared with plain NumPy."""

import numpy as np
import pytest
from composed import RANDOM, close, normal
from composed import of_relay as run
from expect import named as refused

import lathe
from lathe import relay

# -- Windows.

def test_sliding_windows():
    x = normal(2, 3, 7, 6)
    want = np.lib.stride_tricks.sliding_window_view(x, (2, 3, 2), axis=(1, 2, 3))[:, ::1, ::2, ::3]
    np.testing.assert_array_equal(run(lambda a: relay.sliding_window(a, -3, (2, 3, 2), (1, 2, 3)), x), want)
    refused("relay-window", lambda: relay.sliding_window(relay.const(x), 1, (4, 3, 2), (1, 1, 1)))


def dilated(x, w, strides, padding, dilations):
    top, left, bottom, right = padding
    x = np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)))
    reach = [(w.shape[i + 1] - 1) * dilations[i] + 1 for i in range(2)]
    rows, columns = ((x.shape[i + 2] - reach[i]) // strides[i] + 1 for i in range(2))
    made = np.empty((*x.shape[:2], rows, columns), x.dtype)
    for i, j in np.ndindex(rows, columns):
        y, z = i * strides[0], j * strides[1]
        part = x[:, :, y:y + reach[0]:dilations[0], z:z + reach[1]:dilations[1]]
        made[:, :, i, j] = (part + w).max(axis=(2, 3))
    return made


@pytest.mark.parametrize("strides, padding, dilations", [
    ((1, 1), (0, 0, 0, 0), (1, 1)), ((2, 1), (1, 2, 0, 3), (1, 3)), ((3, 2), (2, 2, 2, 2), (2, 1))])
def test_dilation(strides, padding, dilations):
    x, w = normal(2, 3, 9, 8), normal(3, 3, 2)
    want = dilated(x, w, strides, padding, dilations)
    more = {"strides": strides, "padding": padding, "dilations": dilations}
    np.testing.assert_array_equal(run(lambda a, b: relay.image.dilation2d(a, b, **more), x, w), want)
    found = run(lambda a, b: relay.image.dilation2d(a, b, data_layout="NHWC", kernel_layout="HWI", **more),
                x.transpose(0, 2, 3, 1).copy(), w.transpose(1, 2, 0).copy())
    np.testing.assert_array_equal(found.transpose(0, 3, 1, 2), want)


def test_dilation_of_integers():
    x, w = RANDOM.integers(-9, 9, (1, 2, 5, 5)).astype("int8"), RANDOM.integers(-9, 9, (2, 2, 2)).astype("int8")
    found = run(lambda a, b: relay.image.dilation2d(a, b, strides=[1], padding=1, out_dtype="int32"), x, w)
    assert found.dtype == "int32"
    np.testing.assert_array_equal(found, dilated(x.astype("int32"), w, (1, 1), (1, 1, 1, 1), (1, 1)))
    for more in ({"data_layout": "NHWC"}, {"padding": (1, 2, 3)}):
        refused("relay-window", lambda: relay.image.dilation2d(relay.const(x), relay.const(w), **more))


def correlated(x, y, kernel, most, stride1, stride2, padding, multiply):
    x, y = (np.pad(one, ((0, 0), (0, 0), (padding,) * 2, (padding,) * 2)) for one in (x, y))
    border, radius = most + kernel // 2, most // stride2
    rows, columns = (-(-(n - 2 * border) // stride1) for n in x.shape[2:])
    made = np.zeros((x.shape[0], (2 * radius + 1) ** 2, rows, columns), x.dtype)
    for q, i, j in np.ndindex(*made.shape[1:]):
        at = np.array([i, j]) * stride1 + most
        to = at + (np.array(divmod(q, 2 * radius + 1)) - radius) * stride2
        one, two = (p[:, :, a:a + kernel, b:b + kernel] for p, (a, b) in ((x, at), (y, to)))
        made[:, q, i, j] = (one * two if multiply else abs(one - two)).mean(axis=(1, 2, 3))
    return made


@pytest.mark.parametrize("attrs", [(1, 4, 1, 1, 4, True), (3, 3, 2, 2, 4, True), (5, 2, 1, 2, 3, False),
                                   (3, 1, 1, 1, 0, False)])
def test_correlation(attrs):
    x, y = normal(2, 3, 9, 11), normal(2, 3, 9, 11)
    close(run(lambda a, b: relay.nn.correlation(a, b, *attrs, "NCHW"), x, y), correlated(x, y, *attrs))


def test_correlation_of_what_it_cannot_compare():
    x = relay.var("x", shape=(1, 2, 6, 6))
    for attrs in ((2, 1, 1, 1, 0, True, "NCHW"), (1, 1, 1, 1, 0, True, "NHWC"), (3, 2, 1, 1, 0, True, "NCHW")):
        refused("relay-window", lambda: relay.nn.correlation(x, x, *attrs))


def test_queues():
    data, kept = normal(2, 3, 4), normal(2, 5, 4)
    found = run(lambda a, b: relay.nn.fifo_buffer(a, b, axis=-2), data, kept)
    np.testing.assert_array_equal(found, np.concatenate([kept, data], axis=1)[:, -5:])
    found = run(lambda a, b: relay.nn.fifo_buffer(a, b, 1), kept, data)
    np.testing.assert_array_equal(found, kept[:, -3:])


@pytest.mark.parametrize("pad, ceil, layout", [(1, False, "NCHW"), ((0, 1, 1, 0), True, "NHWC")])
def test_gradients_of_pools(pad, ceil, layout):
    data, sides = normal(2, 3, 7, 8), (pad,) * 4 if isinstance(pad, int) else pad
    order, back = ((0, 1, 2, 3), (0, 1, 2, 3)) if layout == "NCHW" else ((0, 2, 3, 1), (0, 3, 1, 2))
    more = {"pool_size": (3, 2), "strides": (2, 2), "padding": pad, "ceil_mode": ceil, "layout": layout}
    moved = data.transpose(order).copy()
    grad = normal(*run(lambda x: relay.nn.max_pool2d(x, **more), moved).shape)
    oracle = lathe.topi.testing.pool_grad_nchw
    found = run(lambda g, x: relay.nn.max_pool2d_grad(g, x, **more), grad, moved)
    close(found.transpose(back), oracle(data, grad.transpose(back), (3, 2), (2, 2), sides, "max", ceil))
    for count in (False, True):
        found = run(lambda g, x: relay.nn.avg_pool2d_grad(g, x, count_include_pad=count, **more), grad, moved)
        close(found.transpose(back), oracle(data, grad.transpose(back), (3, 2), (2, 2), sides, "avg", ceil, count))


def test_fast_softmax():
    x = normal(3, 4, 5)
    part = np.exp(x - x.max(axis=1, keepdims=True))
    close(run(lambda a: relay.nn.fast_softmax(a, axis=1), x), part / part.sum(axis=1, keepdims=True))


def test_dropout_with_its_mask():
    x = normal(3, 4)
    made, mask = run(lambda a: relay.nn.dropout_raw(a, 0.3), x)
    np.testing.assert_array_equal(made, x)
    assert mask.shape == x.shape and (mask == 1).all()


# -- Places.

def test_advanced_indices():
    x, i = normal(4, 5, 6), RANDOM.integers(-4, 4, (3, 1)).astype("int64")
    j = RANDOM.integers(0, 5, (2,)).astype("int64")
    np.testing.assert_array_equal(run(lambda *a: relay.adv_index(a), x, i, j), x[i, j])
    np.testing.assert_array_equal(run(lambda *a: relay.adv_index(list(a)), x, j % 4), x[j % 4])


def test_inverted_permutations():
    for dtype in ("int32", "int64"):
        order = RANDOM.permutation(9).astype(dtype)
        found = run(relay.invert_permutation, order)
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, np.argsort(order))


def test_sums_of_segments():
    x, ids = normal(7, 2, 3), np.array([3, 0, 0, 2, 3, 5, 0], "int32")
    want = np.zeros((6, 2, 3), "float32")
    np.add.at(want, ids, x)
    close(run(lambda a, b: relay.segment_sum(a, b, 6), x, ids), want)
    close(run(relay.segment_sum, x, ids, kind="vm"), want)
    found = run(lambda a, b, n: relay.segment_sum(a, b, n), x[:, 0, 0].copy(), ids, np.array(8), kind="vm")
    close(found, np.concatenate([want[:, 0, 0], [0, 0]]))


@pytest.mark.parametrize("align", ["RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT"])
@pytest.mark.parametrize("shape, k", [((2, 4, 6), 0), ((3, 5), -2), ((5, 3), (1, 2)), ((2, 4, 4), (-3, 2)),
                                      ((3, 3), (0, 0))])
def test_diagonals_of_matrices(shape, k, align):
    x, (low, high) = normal(*shape), (k, k) if isinstance(k, int) else k
    rows, columns = shape[-2:]
    longest = min(rows + min(high, 0), columns - max(low, 0))
    given = normal(*shape[:-2], *([high - low + 1] if high > low else []), longest)
    want, lines = x.copy(), given.reshape(*shape[:-2], -1, longest)
    for i, d in enumerate(range(high, low - 1, -1)):
        length = np.diagonal(x, d, -2, -1).shape[-1]
        first, second = align.split("_")
        right = d > 0 and first == "RIGHT" or d < 0 and second == "RIGHT"
        for n in range(length):
            want[..., n - min(d, 0), n + max(d, 0)] = lines[..., i, n + (longest - length) * right]
    np.testing.assert_array_equal(run(lambda a, b: relay.matrix_set_diag(a, b, k, align), x, given), want)


def test_diagonals_that_matrices_lack():
    x, line = relay.var("x", shape=(3, 4)), relay.var("d", shape=(3,))
    for k, align in ((4, "RIGHT_LEFT"), (0, "UP_DOWN"), ((1, 0), "LEFT_LEFT"), ((0, 1), "LEFT_LEFT")):
        refused("relay-diagonal", lambda: relay.matrix_set_diag(x, line, k, align))


def test_coordinates_of_places():
    places = RANDOM.integers(0, 60, (2, 7)).astype("int64")
    want = np.stack(np.unravel_index(places, (3, 4, 5)))
    np.testing.assert_array_equal(run(lambda a: relay.unravel_index(a, (3, 4, 5)), places), want)
    np.testing.assert_array_equal(run(relay.unravel_index, places, np.array([3, 4, 5], "int32")), want)
    np.testing.assert_array_equal(run(lambda a: relay.unravel_index(a, relay.const([60])), places), [places])


@pytest.mark.parametrize("axes", [{}, {"axis": (0, 2), "keepdims": True}, {"axis": 1, "exclude": True}])
def test_statistics_in_pairs(axes):
    x = normal(3, 4, 5)
    axis = (0, 2) if axes.get("exclude") else axes.get("axis")
    more = {"axis": axis, "keepdims": axes.get("keepdims", False)}
    mean, std = run(lambda a: relay.mean_std(a, **axes), x)
    close(mean, x.mean(**more))
    close(std, x.std(**more))
    for unbiased in (False, True):
        mean, variance = run(lambda a: relay.mean_variance(a, unbiased=unbiased, **axes), x)
        close(mean, x.mean(**more))
        close(variance, x.var(ddof=int(unbiased), **more))


def test_fixed_point_products():
    x = RANDOM.integers(-2**31, 2**31 - 1, 50).astype("int32")
    small = RANDOM.integers(-2000, 2000, 50).astype("int32")
    for data, factor, shift in ((x, 1395864371, -3), (x, 2**30, 0), (small, 1518500250, 7), (small, -2**30, -1)):
        want = [(int(n) * factor * 2 ** max(shift, 0) + (1 << (30 - min(shift, 0)))) >> (31 - min(shift, 0))
                for n in data]
        np.testing.assert_array_equal(run(lambda a: relay.fixed_point_multiply(a, factor, shift), data), want)


# -- Bits.

def test_packed_bits():
    x = RANDOM.integers(0, 256, (2, 64, 3)).astype("uint8")
    for kind, bits, place in (("uint8", 3, 0), ("uint32", 1, 2), ("uint64", 8, 3), ("uint16", 2, 1)):
        width = int(kind[4:])
        want = np.zeros((2, 64 // width, 3, bits), kind)
        for n, i, m, b in np.ndindex(2, 64, 3, bits):
            one = int(x[n, i, m]) >> b & 1
            want[n, i // width, m, b] |= np.array(one << (width - 1 - i % width), kind)
        found = run(lambda a: relay.nn.bitpack(a, bits, 1, place, kind), x)
        np.testing.assert_array_equal(found, np.moveaxis(want, -1, place))
    refused("relay-bits", lambda: relay.nn.bitpack(relay.const(x), 1, 2))


@pytest.mark.parametrize("unipolar", [True, False])
def test_products_of_a_few_bits(unipolar):
    def factors(w, bits):
        each = [(w.astype("int32") >> b & 1) for b in range(bits)]
        return sum(((2 * one - 1) if unipolar else one) << b for b, one in enumerate(each))

    x, w = RANDOM.integers(0, 16, (3, 20)).astype("uint8"), RANDOM.integers(0, 16, (4, 20)).astype("uint8")
    found = run(lambda a, b: relay.nn.bitserial_dense(a, b, 4, 3, 2, "uint8", "int32", unipolar), x, w)
    np.testing.assert_array_equal(found, (x & 7).astype("int32") @ factors(w, 2).T)
    x, w = RANDOM.integers(0, 4, (1, 5, 5, 3)).astype("uint8"), RANDOM.integers(0, 2, (2, 3, 3, 4)).astype("uint8")
    found = run(lambda a, b: relay.nn.bitserial_conv2d(
        a, b, (2, 1), (1, 1), 4, (2, 3), 2, 1, "NHWC", "HWIO", "uint32", "int16", unipolar), x, w)
    want = lathe.topi.testing.conv2d_nhwc_python(x.astype("int32"), factors(w, 1), (2, 1), (1, 1, 1, 1))
    assert found.dtype == "int16"
    np.testing.assert_array_equal(found, want)
    refused("relay-bits", lambda: relay.nn.bitserial_dense(relay.const([[1]]), relay.const([[[1]]])))


# -- Sparse matrices.

def csr(matrix, dtype="int32"):
    """(values, places, beginnings) of a matrix."""
    rows, columns = np.nonzero(matrix)
    begins = np.searchsorted(rows, np.arange(len(matrix) + 1))
    return matrix[rows, columns], columns.astype(dtype), begins.astype(dtype)


def thinned(*shape):
    made = normal(*shape)
    made[RANDOM.random(shape) < 0.7] = 0
    made[1] = 0
    return made


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_sparse_rows(known, dtype):
    x, matrix = normal(3, 8), thinned(5, 8)
    parts = csr(matrix, dtype)

    def both(build, *dense):
        if known:
            return run(lambda *a: build(*a, parts), *dense)
        return run(lambda *a: build(*a[:-3], a[-3:]), *dense, *parts)

    close(both(relay.nn.sparse_dense, x), x @ matrix.T)
    close(both(lambda a, m: relay.nn.sparse_dense(a, m, sparse_lhs=True), x), matrix @ x.T)
    dense = normal(5, 8)
    close(both(relay.nn.sparse_add, dense), dense + matrix)
    square = thinned(6, 6)
    turned = run(lambda *a: relay.nn.sparse_transpose(a), *csr(square, dtype))
    for one, want in zip(turned, csr(square.T.copy(), dtype)):
        assert one.dtype == want.dtype
        np.testing.assert_array_equal(one, want)


def test_sparse_blocks():
    class Matrix:
        """Has the parts that matrices of SciPy have."""

        data = normal(3, 2, 4)
        indices, indptr = np.array([0, 2, 1], "int32"), np.array([0, 2, 2, 3], "int32")

    matrix = np.zeros((6, 12), "float32")
    for block, (i, j) in zip(Matrix.data, ((0, 0), (0, 2), (2, 1))):
        matrix[2 * i:2 * i + 2, 4 * j:4 * j + 4] = block
    x = normal(3, 12)
    close(run(lambda a: relay.nn.sparse_dense(a, Matrix), x), x @ matrix.T)
    close(run(lambda a: relay.nn.sparse_dense(a, Matrix, sparse_lhs=True), x), matrix @ x.T)
    refused("relay-sparse", lambda: relay.nn.sparse_dense(relay.var("x", shape=(3, 10)), Matrix))


def test_shapes_of_sparse_tensors():
    places = np.stack(np.unravel_index(RANDOM.permutation(24)[:7], (2, 3, 4)), axis=1).astype("int64")
    flat = np.ravel_multi_index(places.T, (2, 3, 4))
    for shape, whole in (((6, -1), (6, 4)), ((-1,), (24,)), ((2, 2, -1, 2), (2, 2, 3, 2)), ((8, 3), (8, 3))):
        new = np.array(shape, "int64")
        want = np.stack(np.unravel_index(flat, whole), axis=1)
        for found in (run(relay.sparse_reshape, places, np.array([2, 3, 4]), new),
                      run(lambda a: relay.sparse_reshape(a, (2, 3, 4), relay.const(new)), places)):
            np.testing.assert_array_equal(found[0], want)
            np.testing.assert_array_equal(found[1], whole)
    none = np.zeros((0, 2), "int64")
    found = run(lambda a: relay.sparse_reshape(a, (2, 3), (3, 2)), none)
    np.testing.assert_array_equal(found[0], none)
    np.testing.assert_array_equal(found[1], (3, 2))


def test_empty_rows_are_filled():
    for rank, rows in ((2, (0, 0, 2, 3)), (1, (1, 3)), (3, (0, 1, 2, 3, 4))):
        places = RANDOM.integers(0, 5, (len(rows), rank)).astype("int64")
        places[:, 0] = rows
        values = normal(len(rows))
        lacking = [i for i in range(5) if i not in rows]
        more = np.zeros((len(lacking), rank), "int64")
        more[:, 0] = lacking
        order = np.argsort(np.concatenate([places[:, 0], lacking]), kind="stable")
        found = run(lambda a, b: relay.sparse_fill_empty_rows(a, b, relay.const([5] * rank), 2.5), places, values,
                    kind="vm")
        np.testing.assert_array_equal(found[0], np.concatenate([places, more])[order])
        np.testing.assert_array_equal(found[1], np.concatenate([values, np.full(len(lacking), 2.5, "float32")])[order])
        np.testing.assert_array_equal(found[2], [i in lacking for i in range(5)])
    size = relay.var("n", shape=(2,), dtype="int64")
    refused("relay-sparse", lambda: relay.sparse_fill_empty_rows(relay.const([[0, 1]]), relay.const([1]), size, 0))


# -- Object detection.

def test_space_and_channels_of_darknet():
    for shape, stride in (((2, 8, 4, 6), 2), ((1, 9, 3, 6), 3)):
        x = normal(*shape)
        batch, channels, height, width = shape
        part = channels // stride**2
        flat, want = x.ravel(), []
        for b, k, j, i in np.ndindex(*shape):
            at = divmod(k // part, stride)
            row = j * stride + at[0] + height * stride * (k % part + part * b)
            want.append(flat[i * stride + at[1] + width * stride * row])
        want = np.reshape(want, (batch, channels * stride**2, height // stride, width // stride))
        np.testing.assert_array_equal(run(lambda a: relay.vision.yolo_reorg(a, stride), x), want)
    refused("relay-reorg", lambda: relay.vision.yolo_reorg(relay.var("x", shape=(1, 6, 4, 4)), 2))


@pytest.mark.parametrize("attrs", [{}, {"sizes": (0.3, 0.9), "ratios": (1.0, 2.0, 0.5), "clip": True},
                                   {"sizes": (0.5,), "ratios": (9.0, 3.0), "steps": (0.2, 0.1), "offsets": (0.0, 1.0)}])
def test_first_boxes(attrs):
    height, width = 3, 5
    sizes, ratios = attrs.get("sizes", (1.0,)), attrs.get("ratios", (1.0,))
    steps, offsets = attrs.get("steps", (1 / height, 1 / width)), attrs.get("offsets", (0.5, 0.5))
    want = []
    for i, j, k in np.ndindex(height, width, len(sizes) + len(ratios) - 1):
        y, x = (i + offsets[0]) * steps[0], (j + offsets[1]) * steps[1]
        size, ratio = (sizes[k], 1) if k < len(sizes) else (sizes[0], ratios[k - len(sizes) + 1])
        w, h = size * height / width * ratio**0.5 / 2, size / ratio**0.5 / 2
        want.append([x - w, y - h, x + w, y + h])
    found = run(lambda a: relay.vision.multibox_prior(a, **attrs), normal(2, 4, height, width))
    close(found, np.clip([want], 0, 1) if attrs.get("clip") else [want])


def located(prob, moves, anchors, clip, threshold, variances):
    boxes, counts = np.full((prob.shape[0], prob.shape[2], 6), -1.0), np.zeros(prob.shape[0], "int32")
    for i, j in np.ndindex(prob.shape[0], prob.shape[2]):
        kind = prob[i, 1:, j].argmax()
        if prob[i, kind + 1, j] < threshold:
            continue
        left, top, right, bottom = anchors[0, j]
        x, y, w, h = moves[i].reshape(-1, 4)[j] * variances
        x, y = x * (right - left) + (left + right) / 2, y * (bottom - top) + (top + bottom) / 2
        w, h = np.exp(w) * (right - left) / 2, np.exp(h) * (bottom - top) / 2
        box = np.array([x - w, y - h, x + w, y + h])
        boxes[i, counts[i]] = [kind, prob[i, kind + 1, j], *(np.clip(box, 0, 1) if clip else box)]
        counts[i] += 1
    return boxes, counts


@pytest.mark.parametrize("clip, threshold, variances", [(True, 0.01, (0.1, 0.1, 0.2, 0.2)),
                                                        (False, 0.6, (0.3, 0.1, 0.4, 0.2))])
def test_boxes_of_detectors(clip, threshold, variances):
    prob, moves = RANDOM.random((2, 4, 10)).astype("float32"), normal(2, 40)
    anchors = RANDOM.random((1, 10, 4)).astype("float32") * 0.5
    anchors[..., 2:] += anchors[..., :2]
    found = run(lambda *a: relay.vision.multibox_transform_loc(*a, clip, threshold, variances), prob, moves, anchors)
    want = located(prob, moves, anchors, clip, threshold, variances)
    close(found[0], want[0])
    np.testing.assert_array_equal(found[1], want[1])


def proposed(prob, moves, images, scales, ratios, stride, threshold, before, after, least, iou_loss):
    batch, count, height, width = prob.shape[0], prob.shape[1] // 2, *prob.shape[2:]
    shapes = []
    for ratio in ratios:
        w = np.floor(np.sqrt(np.floor(stride * stride / ratio)) + 0.5)
        shapes += [(w * scale, np.floor(w * ratio + 0.5) * scale) for scale in scales]
    made = []
    for b in range(batch):
        rows, scale = [], images[b, 2]
        for i, j, k in np.ndindex(height, width, count):
            w, h = shapes[k]
            x, y = j * stride + (stride - 1) / 2, i * stride + (stride - 1) / 2
            box = np.array([x - (w - 1) / 2, y - (h - 1) / 2, x + (w - 1) / 2, y + (h - 1) / 2])
            move = moves[b, 4 * k:4 * k + 4, i, j].astype("float64")
            if iou_loss:
                box += move
            else:
                x, y, w, h = x + move[0] * w, y + move[1] * h, w * np.exp(move[2]), h * np.exp(move[3])
                box = np.array([x - (w - 1) / 2, y - (h - 1) / 2, x + (w - 1) / 2, y + (h - 1) / 2])
            box = np.clip(box, 0, np.array([images[b, 1], images[b, 0]] * 2) - 1)
            score = prob[b, count + k, i, j]
            if i >= int(images[b, 0] / stride) or j >= int(images[b, 1] / stride):
                score = -1
            if (box[2:] - box[:2] + 1 < least * scale).any():
                box, score = box + np.array([-1, -1, 1, 1]) * least * scale / 2, -1
            rows.append([*box, score])
        rows = np.array(rows)
        rows = rows[np.argsort(-rows[:, 4], kind="stable")][:before if before > 0 else None]
        kept = []
        for row in rows:
            for other in kept:
                both = np.maximum(np.minimum(row[2:4], other[2:4]) - np.maximum(row[:2], other[:2]) + 1, 0).prod()
                areas = [(one[2:4] - one[:2] + 1).prod() for one in (row, other)]
                if both / (sum(areas) - both) > threshold:
                    break
            else:
                kept.append(row)
        made += [[b, *kept[i % len(kept)][:4]] for i in range(after)]
    return np.array(made)


@pytest.mark.parametrize("attrs", [((2.0, 4.0), (0.5, 1.0, 2.0), 8, 0.7, 30, 10, 6, False),
                                   ((1.5,), (1.0, 0.4), 16, 0.3, -1, 40, 9, True)])
def test_proposals(attrs):
    count = len(attrs[0]) * len(attrs[1])
    prob = RANDOM.permutation(2 * 2 * count * 20).reshape(2, 2 * count, 4, 5).astype("float32") / 1000
    moves = normal(2, 4 * count, 4, 5) * (5 if attrs[-1] else 0.3)
    images = np.array([[4 * attrs[2], 5 * attrs[2], 1.0], [3 * attrs[2], 4 * attrs[2] - 3, 1.5]], "float32")
    found = run(lambda *a: relay.vision.proposal(*a, *attrs), prob, moves, images)
    np.testing.assert_allclose(found, proposed(prob, moves, images, *attrs), rtol=1e-3, atol=1e-2)


def chosen(boxes, threshold, dtype="float32"):
    """The numbers of the boxes (left, top, right, bottom, best first) that proposals keep, from the first one on."""
    count, boxes = len(boxes), np.array(boxes, dtype)
    prob = np.concatenate([np.zeros(count), np.linspace(0.9, 0.5, count)]).reshape(1, -1, 1, 1).astype(dtype)
    moves = (boxes - np.array([0, 0, 15, 15], dtype)).reshape(1, -1, 1, 1)  # each anchor is 0 to 15
    found = run(lambda *a: relay.vision.proposal(*a, (1.0,), (1.0,) * count, 16, threshold, -1, count, 1, True), prob,
                moves, np.array([[16, 16, 1]], dtype))
    return [boxes.tolist().index(one) for one in found[:, 1:].tolist()]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_proposals_at_the_threshold(dtype):
    half, apart = [[0, 0, 3, 3], [0, 0, 3, 7]], [[0, 0, 3, 3], [4, 4, 7, 7]]
    for boxes, threshold, want in ((half, 0.5, [0, 1]), (half, 0.49, [0, 0]), (half, 0.0, [0, 0]), (apart, 0.0, [0, 1]),
                                   ([[0, 0, 9, 9], [9, 9, 15, 15]], 0.0, [0, 0]), ([half[0]] * 2, 1.0, [0, 0])):
        assert chosen(boxes, threshold, dtype) == want, (boxes, threshold)


def test_proposals_are_in_whole_strides_of_the_image():
    prob = np.array([0, 0, 0.5, 0.9], "float32").reshape(1, 2, 1, 2)  # column 1 has the better box
    for columns, want in ((31, 0), (32, 16)):
        found = run(lambda *a: relay.vision.proposal(*a, (1.0,), (1.0,), 16, 0.5, -1, 1, 1, False), prob,
                    np.zeros((1, 4, 1, 2), "float32"), np.array([[16, columns, 1]], "float32"))
        assert found[0, 1] == want


# -- What was wrong, or refused, without need.

def test_same_padding_of_dilation():
    x, w = normal(1, 2, 9, 8), normal(2, 3, 2)
    found = run(lambda a, b: relay.image.dilation2d(a, b, padding="SAME", dilations=(2, 3)), x, w)
    assert found.shape == x.shape
    np.testing.assert_array_equal(found, dilated(x, w, (1, 1), (2, 2, 2, 1), (2, 3)))


def test_places_in_data_of_unknown_extents():
    data, ids = normal(5, 3), np.array([1, 0, 1, 3, 3])
    rows = relay.var("x", shape=(relay.Any(), 3))
    places = relay.var("i", shape=(relay.Any(),), dtype="int64")

    def called(body, *values):
        function = relay.Function([rows, places], body)
        return relay.create_executor("vm", lathe.IRModule.from_expr(function)).evaluate()(*values).numpy()

    want = np.zeros((4, 3), "float32")
    np.add.at(want, ids, data)
    close(called(relay.segment_sum(rows, places, 4), data, ids), want)
    np.testing.assert_array_equal(called(relay.adv_index([rows, places]), data, ids), data[ids])
    np.testing.assert_array_equal(called(relay.adv_index([rows, places, places * 0 + 2]), data, ids), data[ids, 2])


def test_dense_tensors_of_a_shape_of_the_run():
    places, values = np.array([[0, 1], [2, 0]]), normal(2)
    want = np.full((3, 4), 0.5, "float32")
    want[[0, 2], [1, 0]] = values
    found = run(lambda p, v, s: relay.sparse_to_dense(p, s, v, 0.5), places, values, np.array([3, 4]), kind="vm")
    np.testing.assert_array_equal(found, want)
    found = run(lambda p, v: relay.sparse_to_dense(p, np.array([3, 4]), v, 0.5), places, values)
    np.testing.assert_array_equal(found, want)


@pytest.mark.parametrize("unipolar", [True, False])
def test_products_of_all_bits(unipolar):
    x, w = RANDOM.integers(-128, 128, (3, 9)).astype("int8"), RANDOM.integers(-128, 128, (2, 9)).astype("int8")
    bits_of_x, bits_of_w = x.view("uint8").astype("int32"), w.view("uint8").astype("int32")
    want = bits_of_x @ (2 * bits_of_w - 255 if unipolar else bits_of_w).T
    found = run(lambda a, b: relay.nn.bitserial_dense(a, b, None, 8, 8, "uint8", "int32", unipolar), x, w)
    np.testing.assert_array_equal(found, want)
    found = run(lambda a, b: relay.nn.bitserial_dense(a, b, None, 8, 8, "uint8", "int8", unipolar), x, w)
    np.testing.assert_array_equal(found, want.astype("int8"))


def test_shapes_as_arrays():
    places = RANDOM.integers(0, 60, 7).astype("int64")
    want = np.stack(np.unravel_index(places, (3, 4, 5)))
    np.testing.assert_array_equal(run(lambda a: relay.unravel_index(a, np.array([3, 4, 5])), places), want)
    np.testing.assert_array_equal(run(lambda a: relay.unravel_index(a, relay.const(60)), places), [places])
    found = run(lambda a: relay.sparse_reshape(a, np.array([3, 4, 5]), np.array([60])), want.T.copy())
    np.testing.assert_array_equal(found[0], places[:, None])
    found = run(lambda a, b: relay.sparse_fill_empty_rows(a, b, np.array([2, 3]), 9.0), np.array([[1, 2]]), normal(1),
                kind="vm")
    np.testing.assert_array_equal(found[0], [[0, 0], [1, 2]])
    x = normal(4, 2)
    np.testing.assert_array_equal(run(lambda a: relay.sliding_window(a, 1, 2, 1), x), x[:, None])


def test_queues_as_long_as_what_is_pushed():
    data, kept = normal(2, 5), normal(2, 3)
    np.testing.assert_array_equal(run(lambda a, b: relay.nn.fifo_buffer(a, b, -1), data, kept), data[:, -3:])


def test_gradients_of_weights_of_one_extent_of_windows():
    grad, x = normal(2, 6, 5, 5), normal(2, 4, 7, 7)
    want = np.zeros((6, 2, 3, 3))
    for n, k, c, a, b, i, j in np.ndindex(2, 6, 2, 3, 3, 5, 5):
        want[k, c, a, b] += float(grad[n, k, i, j]) * x[n, k // 3 * 2 + c, i + a, j + b]
    close(run(lambda g, d: relay.nn.conv2d_backward_weight(g, d, groups=2, kernel_size=3), grad, x), want)
