"""Operators computed by NumPy, which tests compare with. They are slow and plain."""

import math


def _np():
    import numpy as np

    return np


def _pair(value, rank=2):
    return (value,) * rank if isinstance(value, int) else tuple(value)


def batch_matmul(x, y, out_dtype=None, trans_x=False, trans_y=True):
    """The products of two batches of matrices; the second is transposed by default. Batches of one are repeated.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.batch_matmul(np.ones((2, 3, 4)), np.ones((1, 5, 4))).shape
        (2, 3, 5)
    """
    np = _np()
    made = np.matmul(x.swapaxes(1, 2) if trans_x else x, y.swapaxes(1, 2) if trans_y else y)
    return made.astype(out_dtype or x.dtype)


def dense(x, y, bias, use_bias=False, use_relu=False, out_dtype=None):
    """`x` times the transposed `y`.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.dense(np.ones((1, 2)), np.ones((3, 2)), np.ones(3), use_bias=True).tolist()
        [[3.0, 3.0, 3.0]]
    """
    np = _np()
    made = np.dot(x, y.T).astype(out_dtype or x.dtype)
    made = made + bias if use_bias else made
    return np.maximum(made, 0) if use_relu else made


def softmax_python(a_np, axis=1):
    """Softmax over an axis.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.softmax_python(np.zeros((1, 4))).tolist()
        [[0.25, 0.25, 0.25, 0.25]]
    """
    np = _np()
    made = np.exp(a_np - a_np.max(axis=axis, keepdims=True))
    return made / made.sum(axis=axis, keepdims=True)


def log_softmax_python(a_np, axis=1):
    """The logarithm of softmax over an axis.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.log_softmax_python(np.zeros((1, 1))).tolist()
        [[0.0]]
    """
    np = _np()
    shifted = a_np - a_np.max(axis=axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))


def l2_normalize_python(a_np, eps, axis=None):
    """The array divided by the square root of the sum of its squares, which is at least eps.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.l2_normalize_python(np.array([3.0, 4.0]), 1e-6).tolist()
        [0.6, 0.8]
    """
    np = _np()
    axes = tuple(axis) if isinstance(axis, (list, tuple)) else axis
    return a_np / np.sqrt(np.maximum(np.sum(a_np * a_np, axis=axes, keepdims=True), eps))


def lrn_python(a_np, size, axis, bias, alpha, beta):
    """Local response normalization over `size` neighbours along an axis.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.lrn_python(np.ones((1, 3, 1, 1)), 3, 1, 1.0, 3.0, 1.0).ravel().tolist()
        [0.3333333333333333, 0.25, 0.3333333333333333]
    """
    np = _np()
    squares, sums, radius = a_np * a_np, np.zeros_like(a_np), size // 2
    for i in range(a_np.shape[axis]):
        near = np.take(squares, range(max(0, i - radius), min(a_np.shape[axis], i + radius + 1)), axis)
        where = [slice(None)] * a_np.ndim
        where[axis] = i
        sums[tuple(where)] = near.sum(axis=axis)
    return a_np / np.power(bias + alpha * sums / size, beta)


def strided_slice_python(data, begin, end, strides, slice_mode="end", axes=None):
    """`data[begin:end:strides]` of each axis. With the mode "size", `end` has sizes, -1 for all that is left.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.strided_slice_python(np.arange(6), [1], [5], [2]).tolist()
        [1, 3]
    """
    return data[_slices(data.shape, begin, end, strides, slice_mode, axes)]


def _slices(shape, begin, end, strides, slice_mode="end", axes=None):
    places = list(axes) if axes is not None else list(range(len(begin)))
    made = [slice(None)] * len(shape)
    steps = [1] * len(places) if not strides else [strides] * len(places) if isinstance(strides, int) else list(strides)
    steps += [1] * (len(places) - len(steps))
    for i, axis in enumerate(places):
        first = int(begin[i])
        last = None if i >= len(end) else int(end[i])
        if slice_mode == "size":
            steps[i] = 1
            last = None if last is None or last < 0 else first + last
        if last is not None and steps[i] < 0 and last < -shape[axis]:
            last = None
        made[axis] = slice(first, last, int(steps[i]))
    return tuple(made)


def strided_set_python(data, v, begin, end, strides):
    """A copy of `data` with `v` in a strided slice.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.strided_set_python(np.zeros(4), np.ones(2), [0], [4], [2]).tolist()
        [1.0, 0.0, 1.0, 0.0]
    """
    out = data.copy()
    out[_slices(data.shape, begin, end, strides)] = v
    return out


def gather_python(data, axis, indices):
    """The elements at `indices` along an axis.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.gather_python(np.array([[1, 2], [3, 4]]), 1, np.array([[1], [0]])).tolist()
        [[2], [3]]
    """
    return _np().take_along_axis(data, indices.astype("int64"), axis)


def gather_nd_python(a_np, indices_np):
    """The elements whose indices are the columns of `indices_np`.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.gather_nd_python(np.array([[1, 2], [3, 4]]), np.array([[1, 0], [0, 1]])).tolist()
        [3, 2]
    """
    return a_np[tuple(indices_np.astype("int64"))]


def one_hot(indices, on_value, off_value, depth, axis, dtype):
    """`on_value` at the place of each index along a new axis of `depth` elements, `off_value` elsewhere.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.one_hot(np.array([2, 0]), 1, 0, 3, -1, "int32").tolist()
        [[0, 0, 1], [1, 0, 0]]
    """
    np = _np()
    indices = np.asarray(indices)
    made = np.where(indices[..., None] == np.arange(depth), on_value, off_value).astype(dtype)
    return np.moveaxis(made, -1, indices.ndim if axis == -1 else axis)


def sequence_mask(data, valid_length, mask_value, axis):
    """`data` (time along `axis`, 0 or 1; batch along the other), with `mask_value` from each length on.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.sequence_mask(np.ones((3, 2)), np.array([1, 2]), 0.0, 0).tolist()
        [[1.0, 1.0], [0.0, 1.0], [0.0, 0.0]]
    """
    np = _np()
    time = np.arange(data.shape[axis])
    kept = time[:, None] < valid_length[None, :] if axis == 0 else time[None, :] < valid_length[:, None]
    return np.where(kept.reshape(*kept.shape, *[1] * (data.ndim - 2)), data, data.dtype.type(mask_value))


def searchsorted_ref(sorted_sequence, values, right, out_dtype):
    """The places at which `values` keep each last axis sorted.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.searchsorted_ref(np.array([[1, 3]]), np.array([[3, 4]]), False, "int32").tolist()
        [[1, 2]]
    """
    np = _np()
    side = "right" if right else "left"
    if sorted_sequence.ndim == 1:
        return np.searchsorted(sorted_sequence, values, side).astype(out_dtype)
    rows = sorted_sequence.reshape(-1, sorted_sequence.shape[-1])
    wanted = values.reshape(len(rows), -1)
    return np.array([np.searchsorted(row, one, side) for row, one in zip(rows, wanted)],
                    dtype=out_dtype).reshape(values.shape)


def matrix_set_diag(input_np, diagonal, k=0, align="RIGHT_LEFT"):
    """A copy of a batch of matrices with diagonals from `k` (a number, or the lowest and the highest) replaced.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.matrix_set_diag(np.zeros((2, 2)), np.array([5.0, 6.0])).tolist()
        [[5.0, 0.0], [0.0, 6.0]]
    """
    low, high = _pair(k) if not isinstance(k, int) else (k, k)
    out = input_np.copy()
    rows, columns = out.shape[-2:]
    longest = min(rows + min(high, 0), columns - max(low, 0))
    for number in range(low, high + 1):
        length = min(rows + min(number, 0), columns - max(number, 0))
        upper, lower = align.split("_")
        side = upper if number >= 0 else lower
        values = diagonal if low == high else diagonal[..., high - number, :]
        skip = longest - length if side == "RIGHT" and low != high else 0
        for i in range(length):
            out[..., i - min(number, 0), i + max(number, 0)] = values[..., skip + i]
    return out


def slice_axis_python(data, axis, begin, end=None):
    """`data[begin:end]` of one axis.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.slice_axis_python(np.arange(4), 0, 1, 3).tolist()
        [1, 2]
    """
    return data[(slice(None),) * (axis % data.ndim) + (slice(begin, end),)]


def depth_to_space_python(data, block_size, mode="DCR"):
    """Blocks of channels of (N, C, H, W) as blocks of places.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.depth_to_space_python(np.arange(4).reshape(1, 4, 1, 1), 2).tolist()
        [[[[0, 1], [2, 3]]]]
    """
    n, c, h, w = data.shape
    b = block_size
    if mode == "DCR":
        made = data.reshape(n, b, b, c // (b * b), h, w).transpose(0, 3, 4, 1, 5, 2)
    else:
        made = data.reshape(n, c // (b * b), b, b, h, w).transpose(0, 1, 4, 2, 5, 3)
    return made.reshape(n, c // (b * b), h * b, w * b)


def space_to_depth_python(data, block_size):
    """Blocks of places of (N, C, H, W) as blocks of channels.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.space_to_depth_python(np.arange(4).reshape(1, 1, 2, 2), 2).ravel().tolist()
        [0, 1, 2, 3]
    """
    n, c, h, w = data.shape
    b = block_size
    return data.reshape(n, c, h // b, b, w // b, b).transpose(0, 3, 5, 1, 2, 4).reshape(n, c * b * b, h // b, w // b)


def poolnd_python(np_data, kernel, strides, dilation, padding_before, padding_after, pool_type,
                  count_include_pad=True, ceil_mode=False, dtype="float32", layout=None):
    """Pooling of (N, C, spatial...).

    Args:
        pool_type: "max" or "avg".
        ceil_mode: also windows that begin inside but end outside.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> x = np.arange(4.0).reshape(1, 1, 4)
        >>> topi.testing.poolnd_python(x, (2,), (2,), (1,), (0,), (0,), "max").tolist()
        [[[1.0, 3.0]]]
    """
    np = _np()
    rank = len(kernel)
    spans = [(k - 1) * d + 1 for k, d in zip(kernel, dilation)]
    rounded = math.ceil if ceil_mode else math.floor
    counts = [rounded((n + b + a - span) / s) + 1 for n, b, a, span, s in zip(
        np_data.shape[2:], padding_before, padding_after, spans, strides)]
    out = np.zeros((*np_data.shape[:2], *counts), dtype)
    for place in np.ndindex(*counts):
        where, inside = [], 1
        for i in range(rank):
            first = place[i] * strides[i] - padding_before[i]
            found = [first + j * dilation[i] for j in range(kernel[i])]
            inside *= sum(-padding_before[i] <= p < np_data.shape[2 + i] + padding_after[i] for p in found)
            where.append([p for p in found if 0 <= p < np_data.shape[2 + i]])
        part = np_data[np.ix_(range(np_data.shape[0]), range(np_data.shape[1]), *where)]
        axes = tuple(range(2, 2 + rank))
        if pool_type == "max":
            made = part.max(axis=axes)
        else:
            made = part.sum(axis=axes) / (inside if count_include_pad else part[0, 0].size)
        out[(slice(None), slice(None), *place)] = made
    return out


def adaptive_pool(np_data, out_size, pool_type, layout):
    """Pooling to a given size; the layout says where the channels are: "NCHW", "NHWC", "NCDHW", ...

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.adaptive_pool(np.arange(4.0).reshape(1, 1, 2, 2), (1, 1), "avg", "NCHW").tolist()
        [[[[1.5]]]]
    """
    np = _np()
    place = layout.index("C")
    data = np.moveaxis(np_data, place, 1)
    rank = data.ndim - 2
    sizes = _pair(out_size, rank)
    out = np.zeros((*data.shape[:2], *sizes), np_data.dtype)
    function = np.max if pool_type == "max" else np.mean
    for at in np.ndindex(*sizes):
        where = tuple(slice(i * n // size, -(-(i + 1) * n // size)) for i, n, size in zip(at, data.shape[2:], sizes))
        out[(slice(None), slice(None), *at)] = function(data[(slice(None), slice(None), *where)], axis=tuple(range(2, 2 + rank)))
    return np.moveaxis(out, 1, place)
