"""Convolutions computed by NumPy, which tests compare with. They are slow and plain."""

from ..error import LatheValueError
from ._oracles import _np, _pair
from .nn.utils import get_pad_tuple_generic


def _padding(padding, window):
    """[(before, after), ...] of "SAME", "VALID", a number, one number for each axis, or one for each end."""
    if isinstance(padding, str) and padding not in ("SAME", "VALID"):
        raise LatheValueError(f"there is no padding `{padding}`", "oracle-padding", "expected: SAME or VALID")
    ends = get_pad_tuple_generic(padding, window)
    return list(zip(ends[:len(window)], ends[len(window):]))


def dilate_python(input_np, strides, dilation_value=0.0, out_dtype=None):
    """An array with `strides[i] - 1` elements of `dilation_value` between those of axis i.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.dilate_python(np.array([1, 2]), (3,)).tolist()
        [1, 0, 0, 2]
    """
    np = _np()
    shape = [(n - 1) * s + 1 if n else 0 for n, s in zip(input_np.shape, strides)]
    out = np.full(shape, dilation_value, dtype=out_dtype or input_np.dtype)
    out[tuple(slice(None, None, s) for s in strides)] = input_np
    return out


def _conv(data, weights, stride, padding, groups=1):
    """Of (N, C, spatial...) and (O, C / groups, window...)."""
    np = _np()
    window = weights.shape[2:]
    rank = len(window)
    data = np.pad(data, [(0, 0), (0, 0), *_padding(padding, window)])
    steps = _pair(stride, rank)
    patches = np.lib.stride_tricks.sliding_window_view(data, window, axis=tuple(range(2, 2 + rank)))
    patches = patches[(slice(None), slice(None), *(slice(None, None, s) for s in steps))]
    channels, outs = data.shape[1] // groups, weights.shape[0] // groups
    kept = [1, *range(2 + rank, 2 + 2 * rank)]
    parts = [np.tensordot(patches[:, g * channels:(g + 1) * channels], weights[g * outs:(g + 1) * outs],
                          (kept, list(range(1, 2 + rank)))) for g in range(groups)]
    made = np.moveaxis(np.concatenate(parts, axis=-1), -1, 1)
    return made.astype(np.result_type(data, weights))


def conv1d_ncw_python(a_np, w_np, stride, padding, dilation):
    """The convolution of (N, C, W) with weights (O, C, K).

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.conv1d_ncw_python(np.ones((1, 2, 5)), np.ones((1, 2, 3)), 1, 0, 1).tolist()
        [[[6.0, 6.0, 6.0]]]
    """
    return _conv(a_np, dilate_python(w_np, (1, 1, *_pair(dilation, 1))), stride, padding)


def conv2d_nchw_python(a_np, w_np, stride, padding, groups=1):
    """The convolution of (N, C, H, W) with weights (O, C / groups, KH, KW).

    Args:
        padding: "SAME", "VALID", a number, (height, width), or (top, left, bottom, right).

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.conv2d_nchw_python(np.ones((1, 2, 3, 3)), np.ones((1, 2, 3, 3)), 1, 0).tolist()
        [[[[18.0]]]]
    """
    return _conv(a_np, w_np, stride, padding, groups)


def conv2d_nhwc_python(a_np, w_np, stride, padding, groups=1):
    """The convolution of (N, H, W, C) with weights (KH, KW, C / groups, O).

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.conv2d_nhwc_python(np.ones((1, 3, 3, 2)), np.ones((3, 3, 2, 1)), 1, "SAME").shape
        (1, 3, 3, 1)
    """
    return _conv(a_np.transpose(0, 3, 1, 2), w_np.transpose(3, 2, 0, 1), stride, padding, groups).transpose(0, 2, 3, 1)


def conv2d_hwcn_python(a_np, w_np, stride, padding):
    """The convolution of (H, W, C, N) with weights (KH, KW, C, O).

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.conv2d_hwcn_python(np.ones((3, 3, 2, 1)), np.ones((3, 3, 2, 4)), 1, 0).shape
        (1, 1, 4, 1)
    """
    return _conv(a_np.transpose(3, 2, 0, 1), w_np.transpose(3, 2, 0, 1), stride, padding).transpose(2, 3, 1, 0)


def conv3d_ncdhw_python(a_np, w_np, stride, padding, groups=1):
    """The convolution of (N, C, D, H, W) with weights (O, C / groups, KD, KH, KW).

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.conv3d_ncdhw_python(np.ones((1, 1, 3, 3, 3)), np.ones((1, 1, 3, 3, 3)), 1, 0).tolist()
        [[[[[27.0]]]]]
    """
    return _conv(a_np, w_np, stride, padding, groups)


def conv3d_ndhwc_python(a_np, w_np, stride, padding, groups=1):
    """The convolution of (N, D, H, W, C) with weights (KD, KH, KW, C / groups, O).

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.conv3d_ndhwc_python(np.ones((1, 3, 3, 3, 1)), np.ones((3, 3, 3, 1, 2)), 1, 0).shape
        (1, 1, 1, 1, 2)
    """
    made = _conv(a_np.transpose(0, 4, 1, 2, 3), w_np.transpose(4, 3, 0, 1, 2), stride, padding, groups)
    return made.transpose(0, 2, 3, 4, 1)


def _conv_transpose(data, weights, stride, padding, output_padding, groups=1):
    """Of (N, C, spatial...) and (C, O / groups, window...)."""
    np = _np()
    window = weights.shape[2:]
    rank = len(window)
    steps, more = _pair(stride, rank), _pair(output_padding, rank)
    spread = dilate_python(data, (1, 1, *steps))
    ends = [(k - 1 - before, k - 1 - after + extra)
            for k, (before, after), extra in zip(window, _padding(padding, window), more)]
    padded = np.pad(spread, [(0, 0), (0, 0), *[(max(b, 0), max(a, 0)) for b, a in ends]])
    cut = tuple(slice(max(-b, 0), n - max(-a, 0)) for (b, a), n in zip(ends, padded.shape[2:]))
    padded = padded[(slice(None), slice(None), *cut)]
    flipped = weights[(slice(None), slice(None), *(slice(None, None, -1) for _ in window))]
    channels = data.shape[1] // groups
    parts = [flipped[g * channels:(g + 1) * channels].swapaxes(0, 1) for g in range(groups)]
    return _conv(padded, np.concatenate(parts, axis=0), 1, 0, groups)


def conv1d_transpose_ncw_python(a_np, w_np, stride, padding, output_padding):
    """The transposed convolution of (N, C, W) with weights (C, O, K).

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.conv1d_transpose_ncw_python(np.ones((1, 1, 2)), np.ones((1, 1, 3)), 2, 0, 0).tolist()
        [[[1.0, 1.0, 2.0, 1.0, 1.0]]]
    """
    return _conv_transpose(a_np, w_np, stride, padding, output_padding)


def conv2d_transpose_nchw_python(a_np, w_np, stride, padding, output_padding, groups=1):
    """The transposed convolution of (N, C, H, W) with weights (C, O / groups, KH, KW).

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.conv2d_transpose_nchw_python(np.ones((1, 1, 2, 2)), np.ones((1, 3, 3, 3)), 1, 0, (0, 0)).shape
        (1, 3, 4, 4)
    """
    return _conv_transpose(a_np, w_np, stride, padding, output_padding, groups)


def conv3d_transpose_ncdhw_python(a_np, w_np, stride, padding, output_padding):
    """The transposed convolution of (N, C, D, H, W) with weights (C, O, KD, KH, KW).

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.conv3d_transpose_ncdhw_python(np.ones((1, 1, 2, 2, 2)), np.ones((1, 1, 1, 1, 1)), 2, 0, 0).shape
        (1, 1, 3, 3, 3)
    """
    return _conv_transpose(a_np, w_np, stride, padding, output_padding)


def depthwise_conv2d_python_nchw(input_np, filter_np, stride, padding):
    """The convolution of each channel of (N, C, H, W) with its filters: (C, M, KH, KW).

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.depthwise_conv2d_python_nchw(np.ones((1, 2, 3, 3)), np.ones((2, 1, 3, 3)), 1, "VALID").tolist()
        [[[[9.0]], [[9.0]]]]
    """
    channels, many = filter_np.shape[:2]
    return _conv(input_np, filter_np.reshape(channels * many, 1, *filter_np.shape[2:]), stride, padding, channels)


def depthwise_conv2d_python_nhwc(input_np, filter_np, stride, padding):
    """The convolution of each channel of (N, H, W, C) with its filters: (KH, KW, C, M).

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.depthwise_conv2d_python_nhwc(np.ones((1, 3, 3, 2)), np.ones((3, 3, 2, 1)), 1, "SAME").shape
        (1, 3, 3, 2)
    """
    made = depthwise_conv2d_python_nchw(input_np.transpose(0, 3, 1, 2), filter_np.transpose(2, 3, 0, 1), stride, padding)
    return made.transpose(0, 2, 3, 1)
