"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.relay.expr as _relay
from lathe.relay._composed_windows import avg_pool2d_grad as avg_pool2d_grad
from lathe.relay._composed_bits import bitpack as bitpack
from lathe.relay._composed_bits import bitserial_conv2d as bitserial_conv2d
from lathe.relay._composed_bits import bitserial_dense as bitserial_dense
from lathe.relay._composed_nn import conv2d_backward_weight as conv2d_backward_weight
from lathe.relay._composed_windows import correlation as correlation
from lathe.relay._composed_nn import dropout_raw as dropout_raw
from lathe.relay._composed_windows import fast_softmax as fast_softmax
from lathe.relay._composed_windows import fifo_buffer as fifo_buffer
from lathe.relay._composed_windows import max_pool2d_grad as max_pool2d_grad
from lathe.relay._composed_sparse import sparse_add as sparse_add
from lathe.relay._composed_sparse import sparse_dense as sparse_dense
from lathe.relay._composed_sparse import sparse_transpose as sparse_transpose
from lathe.relay._composed_nn import upsampling3d as upsampling3d

def adaptive_avg_pool1d(data: Any, output_size: Any = ..., layout: Any = ..., out_layout: Any = ...) -> _relay.Expr:
    """The mean of each window; window i of m over an extent e is [floor(i e / m), ceil((i + 1) e / m)) [PyTorch's rule].

    Args:
        data: an expression. The input, in `layout` (a floating type).
        output_size: a tuple of extents: ints, or expressions over sizes. The windows of each dimension, or one number for all; empty: as `data`.
        layout: a str. The dimensions of `data`. One of "NCW", "NWC".
        out_layout: a str. The dimensions of the result; "": as `data`.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.adaptive_avg_pool1d(relay.var("data", shape=(4, 3, 9)), output_size=(2,))
    """

def adaptive_avg_pool2d(data: Any, output_size: Any = ..., layout: Any = ..., out_layout: Any = ...) -> _relay.Expr:
    """The mean of each window; window i of m over an extent e is [floor(i e / m), ceil((i + 1) e / m)) [PyTorch's rule].

    Args:
        data: an expression. The input, in `layout` (a floating type).
        output_size: a tuple of extents: ints, or expressions over sizes. The windows of each dimension, or one number for all; empty: as `data`.
        layout: a str. The dimensions of `data`. One of "NCHW", "NHWC".
        out_layout: a str. The dimensions of the result; "": as `data`.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.adaptive_avg_pool2d(relay.var("data", shape=(4, 3, 9, 8)), output_size=(2, 3))
    """

def adaptive_avg_pool3d(data: Any, output_size: Any = ..., layout: Any = ..., out_layout: Any = ...) -> _relay.Expr:
    """The mean of each window; window i of m over an extent e is [floor(i e / m), ceil((i + 1) e / m)) [PyTorch's rule].

    Args:
        data: an expression. The input, in `layout` (a floating type).
        output_size: a tuple of extents: ints, or expressions over sizes. The windows of each dimension, or one number for all; empty: as `data`.
        layout: a str. The dimensions of `data`. One of "NCDHW", "NDHWC".
        out_layout: a str. The dimensions of the result; "": as `data`.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.adaptive_avg_pool3d(relay.var("data", shape=(4, 3, 5, 6, 7)), output_size=(2, 3, 4))
    """

def adaptive_max_pool1d(data: Any, output_size: Any = ..., layout: Any = ..., out_layout: Any = ...) -> _relay.Expr:
    """The greatest element of each window; window i of m over an extent e is [floor(i e / m), ceil((i + 1) e / m)) [PyTorch's rule].

    Args:
        data: an expression. The input, in `layout` (a floating type or an integer type).
        output_size: a tuple of extents: ints, or expressions over sizes. The windows of each dimension, or one number for all; empty: as `data`.
        layout: a str. The dimensions of `data`. One of "NCW", "NWC".
        out_layout: a str. The dimensions of the result; "": as `data`.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.adaptive_max_pool1d(relay.var("data", shape=(4, 3, 9)), output_size=(2,))
    """

def adaptive_max_pool1d_indices(data: Any, output_size: Any = ..., layout: Any = ..., out_layout: Any = ...) -> _relay.Expr:
    """Where nn.adaptive_max_pool1d takes its elements from: their numbers in `data` in row-major order, int64. Of equal elements it is the first one's.

    Args:
        data: an expression. The input, in `layout` (a floating type or an integer type).
        output_size: a tuple of extents: ints, or expressions over sizes. The windows of each dimension, or one number for all; empty: as `data`.
        layout: a str. The dimensions of `data`. One of "NCW", "NWC".
        out_layout: a str. The dimensions of the result; "": as `data`.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.adaptive_max_pool1d_indices(relay.var("data", shape=(4, 3, 9)), output_size=(2,))
    """

def adaptive_max_pool2d(data: Any, output_size: Any = ..., layout: Any = ..., out_layout: Any = ...) -> _relay.Expr:
    """The greatest element of each window; window i of m over an extent e is [floor(i e / m), ceil((i + 1) e / m)) [PyTorch's rule].

    Args:
        data: an expression. The input, in `layout` (a floating type or an integer type).
        output_size: a tuple of extents: ints, or expressions over sizes. The windows of each dimension, or one number for all; empty: as `data`.
        layout: a str. The dimensions of `data`. One of "NCHW", "NHWC".
        out_layout: a str. The dimensions of the result; "": as `data`.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.adaptive_max_pool2d(relay.var("data", shape=(4, 3, 9, 8)), output_size=(2, 3))
    """

def adaptive_max_pool2d_indices(data: Any, output_size: Any = ..., layout: Any = ..., out_layout: Any = ...) -> _relay.Expr:
    """Where nn.adaptive_max_pool2d takes its elements from: their numbers in `data` in row-major order, int64. Of equal elements it is the first one's.

    Args:
        data: an expression. The input, in `layout` (a floating type or an integer type).
        output_size: a tuple of extents: ints, or expressions over sizes. The windows of each dimension, or one number for all; empty: as `data`.
        layout: a str. The dimensions of `data`. One of "NCHW", "NHWC".
        out_layout: a str. The dimensions of the result; "": as `data`.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.adaptive_max_pool2d_indices(relay.var("data", shape=(4, 3, 9, 8)), output_size=(2, 3))
    """

def adaptive_max_pool3d(data: Any, output_size: Any = ..., layout: Any = ..., out_layout: Any = ...) -> _relay.Expr:
    """The greatest element of each window; window i of m over an extent e is [floor(i e / m), ceil((i + 1) e / m)) [PyTorch's rule].

    Args:
        data: an expression. The input, in `layout` (a floating type or an integer type).
        output_size: a tuple of extents: ints, or expressions over sizes. The windows of each dimension, or one number for all; empty: as `data`.
        layout: a str. The dimensions of `data`. One of "NCDHW", "NDHWC".
        out_layout: a str. The dimensions of the result; "": as `data`.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.adaptive_max_pool3d(relay.var("data", shape=(4, 3, 5, 6, 7)), output_size=(2, 3, 4))
    """

def adaptive_max_pool3d_indices(data: Any, output_size: Any = ..., layout: Any = ..., out_layout: Any = ...) -> _relay.Expr:
    """Where nn.adaptive_max_pool3d takes its elements from: their numbers in `data` in row-major order, int64. Of equal elements it is the first one's.

    Args:
        data: an expression. The input, in `layout` (a floating type or an integer type).
        output_size: a tuple of extents: ints, or expressions over sizes. The windows of each dimension, or one number for all; empty: as `data`.
        layout: a str. The dimensions of `data`. One of "NCDHW", "NDHWC".
        out_layout: a str. The dimensions of the result; "": as `data`.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.adaptive_max_pool3d_indices(relay.var("data", shape=(4, 3, 5, 6, 7)), output_size=(2, 3, 4))
    """

def attention(query: Any, key: Any, value: Any, mask: Any = ..., scale: Any = ..., is_causal: Any = ...) -> _relay.Expr:
    """softmax(scale Q K^T + mask) V [Vaswani et al., 2017], as ONNX's Attention and PyTorch's scaled_dot_product_attention have it. Where there are fewer heads of keys than of queries, neighbouring queries share one. A place whose mask is false everywhere is NaN.

    Args:
        query: an expression. Q [n, heads, queries, features] (a floating type).
        key: an expression. K [n, heads of keys, keys, features] (a floating type).
        value: an expression. V [n, heads of keys, keys, features of values] (a floating type).
        mask: an expression, or None. Is added to the scores, or, of type bool, says which keys are seen; it is broadcast to [n, heads, queries, keys] (a floating type or bool).
        scale: a number. The factor of the scores; 0: 1 / sqrt(features).
        is_causal: a bool. Does query i see the keys 0 to i only?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.attention(relay.var("query", shape=(4, 2, 5, 8)), relay.var("key", shape=(4, 2, 7, 8)), relay.var("value", shape=(4, 2, 7, 6)))
    """

def avg_pool1d(data: Any, pool_size: Any = ..., strides: Any = ..., dilation: Any = ..., padding: Any = ..., layout: Any = ..., out_layout: Any = ..., ceil_mode: Any = ..., count_include_pad: Any = ...) -> _relay.Expr:
    """The mean of each window.

    Args:
        data: an expression. The input, in `layout` (a floating type).
        pool_size: an int or a tuple of ints. The window.
        strides: an int or a tuple of ints. How far the window moves.
        dilation: an int or a tuple of ints. The distance of the window's elements.
        padding: an int or a tuple of ints. The frame around the input: one number, one for each dimension, or all before and then all after.
        layout: a str. The dimensions of `data`: NCW, NWC, or in blocks (NCW16c).
        out_layout: a str. The dimensions of the result; "": as `data`.
        ceil_mode: a bool. Windows that leave the frame count if they begin inside of it.
        count_include_pad: a bool. Do elements of the frame count as zeros?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.avg_pool1d(relay.var("data", shape=(4, 3, 9)), pool_size=(2,), strides=(2,))
    """

def avg_pool2d(data: Any, pool_size: Any = ..., strides: Any = ..., dilation: Any = ..., padding: Any = ..., layout: Any = ..., out_layout: Any = ..., ceil_mode: Any = ..., count_include_pad: Any = ...) -> _relay.Expr:
    """The mean of each window.

    Args:
        data: an expression. The input, in `layout` (a floating type).
        pool_size: an int or a tuple of ints. The window.
        strides: an int or a tuple of ints. How far the window moves.
        dilation: an int or a tuple of ints. The distance of the window's elements.
        padding: an int or a tuple of ints. The frame around the input: one number, one for each dimension, or all before and then all after.
        layout: a str. The dimensions of `data`: NCHW, NHWC, or in blocks (NCHW16c).
        out_layout: a str. The dimensions of the result; "": as `data`.
        ceil_mode: a bool. Windows that leave the frame count if they begin inside of it.
        count_include_pad: a bool. Do elements of the frame count as zeros?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.avg_pool2d(relay.var("data", shape=(4, 3, 9, 8)), pool_size=(2,), strides=(2,))
    """

def avg_pool3d(data: Any, pool_size: Any = ..., strides: Any = ..., dilation: Any = ..., padding: Any = ..., layout: Any = ..., out_layout: Any = ..., ceil_mode: Any = ..., count_include_pad: Any = ...) -> _relay.Expr:
    """The mean of each window.

    Args:
        data: an expression. The input, in `layout` (a floating type).
        pool_size: an int or a tuple of ints. The window.
        strides: an int or a tuple of ints. How far the window moves.
        dilation: an int or a tuple of ints. The distance of the window's elements.
        padding: an int or a tuple of ints. The frame around the input: one number, one for each dimension, or all before and then all after.
        layout: a str. The dimensions of `data`: NCDHW, NDHWC, or in blocks (NCDHW16c).
        out_layout: a str. The dimensions of the result; "": as `data`.
        ceil_mode: a bool. Windows that leave the frame count if they begin inside of it.
        count_include_pad: a bool. Do elements of the frame count as zeros?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.avg_pool3d(relay.var("data", shape=(4, 3, 5, 6, 7)), pool_size=(2,), strides=(2,))
    """

def batch_flatten(data: Any) -> _relay.Expr:
    """All dimensions but the first as one: [batch, the product of the others].

    Args:
        data: an expression. The input (a floating type, an integer type or bool).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.batch_flatten(relay.var("data", shape=(4, 3, 5)))
    """

def batch_matmul(tensor_a: Any, tensor_b: Any, out_dtype: Any = ..., transpose_a: Any = ..., transpose_b: Any = ...) -> _relay.Expr:
    """A product of matrices for each batch. B is transposed unless it is said otherwise; a batch of 1 repeats.

    Args:
        tensor_a: an expression. A [batch, i, k] (a floating type or an integer type).
        tensor_b: an expression. B [batch, k, j] (a floating type or an integer type).
        out_dtype: the name of an element type. The type of sums and of the result; "": that of the inputs.
        transpose_a: a bool. Is A [..., k, i]?.
        transpose_b: a bool. Is B [..., j, k]?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.batch_matmul(relay.var("tensor_a", shape=(3, 4, 8)), relay.var("tensor_b", shape=(3, 5, 8)))
    """

def batch_norm(data: Any, gamma: Any, beta: Any, moving_mean: Any, moving_var: Any, axis: Any = ..., epsilon: Any = ..., center: Any = ..., scale: Any = ...) -> _relay.TupleWrapper:
    """(data - mean) / sqrt(var + epsilon) gamma + beta, channel by channel, with the moving mean and variance of training [Ioffe, Szegedy, 2015]. Returns (result, mean, var).

    Args:
        data: an expression. The input (a floating type).
        gamma: an expression. The scale [channels] (a floating type).
        beta: an expression. The shift [channels] (a floating type).
        moving_mean: an expression. [channels] (a floating type).
        moving_var: an expression. [channels] (a floating type).
        axis: an int. The dimension of the channels.
        epsilon: a number. Added to the variance.
        center: a bool. Is beta added?.
        scale: a bool. Is gamma multiplied?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.batch_norm(relay.var("data", shape=(4, 3, 5)), relay.var("gamma", shape=(3,)), relay.var("beta", shape=(3,)), relay.var("moving_mean", shape=(3,)), relay.var("moving_var", shape=(3,)))
    """

def batch_to_space_nd(data: Any, block_shape: Any, crops: Any) -> _relay.Expr:
    """Batches become places of blocks, the reverse of nn.space_to_batch_nd (TensorFlow): [n / product(block_shape), extent block - before - after, ..., rest].

    Args:
        data: an expression. [n, space..., rest...] (a floating type, an integer type or bool).
        block_shape: an int or a tuple of ints. The extents of a block, for dimensions 1, 2, .
        crops: an int or a tuple of ints. What is cut off: [before, after] for each entry of `block_shape`.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.batch_to_space_nd(relay.var("data", shape=(12, 3, 4, 4)), block_shape=(2, 3), crops=(0, 1, 2, 1))
    """

def bias_add(data: Any, bias: Any, axis: Any = ...) -> _relay.Expr:
    """data + bias, with an element of the bias for each place along one dimension.

    Args:
        data: an expression. The input (a floating type or an integer type).
        bias: an expression. [extent of `axis`] (a floating type or an integer type).
        axis: an int. The dimension of the bias.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.bias_add(relay.var("data", shape=(4, 3, 5)), relay.var("bias", shape=(3,)))
    """

def causal_mask(data: Any) -> _relay.Expr:
    """data[..., i, j] where j <= i, and -infinity elsewhere: a query sees the keys up to its own place.

    Args:
        data: an expression. Scores [..., queries, keys] (a floating type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.causal_mask(relay.var("data", shape=(4, 5)))
    """

def celu(data: Any, alpha: Any = ...) -> _relay.Expr:
    """max(x, 0) + min(0, alpha (e^(x / alpha) - 1)) [Barron, 2017].

    Args:
        data: an expression. The input (a floating type).
        alpha: a number. The limit far below 0, negated; not 0.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.celu(relay.var("data", shape=(4, 7)))
    """

def contrib_conv2d_nchwc(data: Any, kernel: Any, strides: Any = ..., padding: Any = ..., dilation: Any = ..., groups: Any = ...) -> _relay.Expr:
    """nn.conv2d with channels in blocks: the result is [batch, O / o, rows, columns, o].

    Args:
        data: an expression. [batch, C / c, height, width, c] (a floating type or an integer type).
        kernel: an expression. [O / o, C / c, window height, window width, c, o]; of one block of `data`, fewer channels: the others are not read (a floating type or an integer type).
        strides: an int or a tuple of ints. How far the window moves.
        padding: an int or a tuple of ints. The frame around the input, as for nn.conv2d.
        dilation: an int or a tuple of ints. The distance of the window's elements.
        groups: an int. Groups of channels, each whole blocks of `data` and of the result.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.contrib_conv2d_nchwc(relay.var("data", shape=(4, 2, 9, 7, 4)), relay.var("kernel", shape=(3, 2, 3, 3, 4, 8)))
    """

def contrib_conv2d_nchwc_int8(data: Any, kernel: Any, strides: Any = ..., padding: Any = ..., dilation: Any = ..., pad_value: Any = ...) -> _relay.Expr:
    """nn.conv2d of 8-bit integers with channels in blocks: the result is int32 [batch, O / o, rows, columns, o]. Four channels of the kernel lie side by side.

    Args:
        data: an expression. [batch, C / c, height, width, c], c a multiple of 4 (an integer type).
        kernel: an expression. [O / o, C / c, window height, window width, c / 4, o, 4] (an integer type).
        strides: an int or a tuple of ints. How far the window moves.
        padding: an int or a tuple of ints. The frame around the input, as for nn.conv2d.
        dilation: an int or a tuple of ints. The distance of the window's elements.
        pad_value: an int. The elements of the frame.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.contrib_conv2d_nchwc_int8(relay.var("data", shape=(4, 2, 9, 7, 8), dtype="uint8"), relay.var("kernel", shape=(3, 2, 3, 3, 2, 8, 4), dtype="int8"))
    """

def contrib_conv2d_winograd_nchwc(data: Any, kernel: Any, tile_size: Any = ..., padding: Any = ...) -> _relay.Expr:
    """nn.conv2d with a window of 3x3 and channels in blocks, by Winograd's algorithm: the result is [batch, O / o, rows, columns, o]. Rounding errors are up to ten times as large.

    Args:
        data: an expression. [batch, C / c, height, width, c], float32 or float64 (a floating type).
        kernel: an expression. Of nn.contrib_conv2d_winograd_weight_transform, in blocks: [tile_size + 2, tile_size + 2, O / o, C / c, c, o] (a floating type).
        tile_size: an int. Rows and columns of a tile: 2 or 4.
        padding: an int or a tuple of ints. The frame around the input, as for nn.conv2d.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.contrib_conv2d_winograd_nchwc(relay.var("data", shape=(4, 2, 9, 7, 4), dtype="float64"), relay.var("kernel", shape=(6, 6, 3, 2, 4, 8), dtype="float64"))
    """

def contrib_conv2d_winograd_weight_transform(weight: Any, tile_size: Any = ...) -> _relay.Expr:
    """The kernel of a 3x3 convolution as Winograd convolutions multiply with it: G w G^T, [tile_size + 2, tile_size + 2, filters, channels].

    Args:
        weight: an expression. [filters, channels, 3, 3], float32 or float64 (a floating type).
        tile_size: an int. Rows and columns of a tile: 2 or 4.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.contrib_conv2d_winograd_weight_transform(relay.var("weight", shape=(5, 7, 3, 3)))
    """

def contrib_dense_dot(data: Any, weight: Any, out_dtype: Any) -> _relay.Expr:
    """A product of narrow types with the columns of the right operand in panels, and `g` elements of k, one dot product, side by side: y[..., p, j] = sum over q, r of x[..., q g + r] w[p, q, j, r]. With a batch of right operands both have the same first dimensions.

    Args:
        data: an expression. X [..., k] (a floating type or an integer type).
        weight: an expression. W [..., panels, k / g, columns of a panel, g] (a floating type or an integer type).
        out_dtype: the name of an element type. The type of sums and of the result.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.contrib_dense_dot(relay.var("data", shape=(4, 8), dtype="bfloat16"), relay.var("weight", shape=(3, 4, 16, 2), dtype="bfloat16"), out_dtype='float32')
    """

def contrib_dense_pack(data: Any, weight: Any) -> _relay.Expr:
    """A product with the columns of the right operand in panels: y[..., p, j] = sum over k of x[..., k] w[p, k, j].

    Args:
        data: an expression. X [..., k] (a floating type or an integer type).
        weight: an expression. W [panels, k, columns of a panel] (a floating type or an integer type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.contrib_dense_pack(relay.var("data", shape=(4, 8)), relay.var("weight", shape=(3, 8, 4)))
    """

def contrib_depthwise_conv2d_nchwc(data: Any, kernel: Any, strides: Any = ..., padding: Any = ..., dilation: Any = ..., pad_value: Any = ..., out_dtype: Any = ...) -> _relay.Expr:
    """A convolution with one filter for each channel, with channels in blocks.

    Args:
        data: an expression. [batch, C / c, height, width, c] (a floating type or an integer type).
        kernel: an expression. [C / c, window height, window width, c]; without out_dtype of the type of `data` (a floating type or an integer type).
        strides: an int or a tuple of ints. How far the window moves.
        padding: an int or a tuple of ints. The frame around the input, as for nn.conv2d.
        dilation: an int or a tuple of ints. The distance of the window's elements.
        pad_value: an int. The elements of the frame.
        out_dtype: the name of an element type. The type of sums and of the result; "": that of `data`.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.contrib_depthwise_conv2d_nchwc(relay.var("data", shape=(4, 2, 9, 7, 4)), relay.var("kernel", shape=(2, 3, 3, 4)))
    """

def contrib_dot_panels(data: Any, columns: Any, group: Any) -> _relay.Expr:
    """The right operand [..., k, n] of a product as nn.contrib_dense_dot reads it: w[..., p, q, j, r] = x[..., q g + r, p c + j], for panels of c columns and dot products of g elements.

    Args:
        data: an expression. X [..., k, n], k a multiple of g, n of c (a floating type or an integer type).
        columns: an int. C.
        group: an int. G.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.contrib_dot_panels(relay.var("data", shape=(4, 8, 32), dtype="bfloat16"), columns=16, group=2)
    """

def conv1d(data: Any, weight: Any, strides: Any = ..., padding: Any = ..., dilation: Any = ..., groups: Any = ..., channels: Any = ..., kernel_size: Any = ..., data_layout: Any = ..., kernel_layout: Any = ..., out_layout: Any = ..., out_dtype: Any = ...) -> _relay.Expr:
    """A convolution (cross-correlation): for each filter the sum, over the channels of its group and a window, of data times weight.

    Args:
        data: an expression. The input, in `data_layout` (a floating type or an integer type).
        weight: an expression. The filters, in `kernel_layout`; I is the channels of one group (a floating type or an integer type).
        strides: an int or a tuple of ints. How far the window moves.
        padding: an int or a tuple of ints. Zeros around the input: one number, one for each dimension, or all before and then all after.
        dilation: an int or a tuple of ints. The distance of the window's elements.
        groups: an int. Channels are split into as many parts, each with filters of its own.
        channels: an int. The filters; 0: taken from the weight.
        kernel_size: an int or a tuple of ints. The window; empty: taken from the weight.
        data_layout: a str. The dimensions of `data`. One of "NCW", "NWC".
        kernel_layout: a str. The dimensions of `weight`. One of "OIW", "WIO", "OWI", "WOI".
        out_layout: a str. The dimensions of the result; "": as `data`.
        out_dtype: the name of an element type. The type of sums and of the result; "": that of `data`.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.conv1d(relay.var("data", shape=(4, 4, 9)), relay.var("weight", shape=(6, 4, 3)))
    """

def conv1d_transpose(data: Any, weight: Any, strides: Any = ..., padding: Any = ..., dilation: Any = ..., groups: Any = ..., channels: Any = ..., kernel_size: Any = ..., data_layout: Any = ..., kernel_layout: Any = ..., out_layout: Any = ..., output_padding: Any = ..., out_dtype: Any = ...) -> _relay.Expr:
    """The transposed convolution: each element of the input adds its window, times the weight, to the result. An extent is (in - 1) stride - padding + dilation (kernel - 1) + output_padding + 1 [PyTorch's ConvTranspose].

    Args:
        data: an expression. The input, in `data_layout` (a floating type or an integer type).
        weight: an expression. The filters, in `kernel_layout` (a floating type or an integer type).
        strides: an int or a tuple of ints. The distance of the windows in the result.
        padding: an int or a tuple of ints. What is cut off the result: one number, one for each dimension, or all before and then all after.
        dilation: an int or a tuple of ints. The distance of the window's elements.
        groups: an int. Channels are split into as many parts, each with filters of its own.
        channels: an int. The channels of the result; 0: taken from the weight.
        kernel_size: an int or a tuple of ints. The window; empty: taken from the weight.
        data_layout: a str. The dimensions of `data`. One of "NCW", "NWC".
        kernel_layout: a str. The dimensions of `weight`: I the channels of `data`, O those of the result in a group. (Relay calls IOW `OIW` and IODHW `OIDHW`.). One of "IOW", "OIW", "WIO", "WOI".
        out_layout: a str. The dimensions of the result; "": as `data`.
        output_padding: an int or a tuple of ints. Places that the result has more at its end.
        out_dtype: the name of an element type. The type of sums and of the result; "": that of `data`.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.conv1d_transpose(relay.var("data", shape=(4, 4, 6)), relay.var("weight", shape=(4, 3, 3)))
    """

def conv2d(data: Any, weight: Any, strides: Any = ..., padding: Any = ..., dilation: Any = ..., groups: Any = ..., channels: Any = ..., kernel_size: Any = ..., data_layout: Any = ..., kernel_layout: Any = ..., out_layout: Any = ..., out_dtype: Any = ...) -> _relay.Expr:
    """A convolution (cross-correlation): for each filter the sum, over the channels of its group and a window, of data times weight.

    Args:
        data: an expression. The input, in `data_layout` (a floating type or an integer type).
        weight: an expression. The filters, in `kernel_layout`; I is the channels of one group (a floating type or an integer type).
        strides: an int or a tuple of ints. How far the window moves.
        padding: an int or a tuple of ints. Zeros around the input: one number, one for each dimension, or all before and then all after.
        dilation: an int or a tuple of ints. The distance of the window's elements.
        groups: an int. Channels are split into as many parts, each with filters of its own.
        channels: an int. The filters; 0: taken from the weight.
        kernel_size: an int or a tuple of ints. The window; empty: taken from the weight.
        data_layout: a str. The dimensions of `data`. One of "NCHW", "NHWC".
        kernel_layout: a str. The dimensions of `weight`. One of "OIHW", "HWIO", "OHWI", "HWOI".
        out_layout: a str. The dimensions of the result; "": as `data`.
        out_dtype: the name of an element type. The type of sums and of the result; "": that of `data`.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.conv2d(relay.var("data", shape=(4, 4, 9, 7)), relay.var("weight", shape=(6, 4, 3, 3)))
    """

def conv2d_transpose(data: Any, weight: Any, strides: Any = ..., padding: Any = ..., dilation: Any = ..., groups: Any = ..., channels: Any = ..., kernel_size: Any = ..., data_layout: Any = ..., kernel_layout: Any = ..., out_layout: Any = ..., output_padding: Any = ..., out_dtype: Any = ...) -> _relay.Expr:
    """The transposed convolution: each element of the input adds its window, times the weight, to the result. An extent is (in - 1) stride - padding + dilation (kernel - 1) + output_padding + 1 [PyTorch's ConvTranspose].

    Args:
        data: an expression. The input, in `data_layout` (a floating type or an integer type).
        weight: an expression. The filters, in `kernel_layout` (a floating type or an integer type).
        strides: an int or a tuple of ints. The distance of the windows in the result.
        padding: an int or a tuple of ints. What is cut off the result: one number, one for each dimension, or all before and then all after.
        dilation: an int or a tuple of ints. The distance of the window's elements.
        groups: an int. Channels are split into as many parts, each with filters of its own.
        channels: an int. The channels of the result; 0: taken from the weight.
        kernel_size: an int or a tuple of ints. The window; empty: taken from the weight.
        data_layout: a str. The dimensions of `data`. One of "NCHW", "NHWC".
        kernel_layout: a str. The dimensions of `weight`: I the channels of `data`, O those of the result in a group. (Relay calls IOW `OIW` and IODHW `OIDHW`.). One of "IOHW", "OIHW", "HWIO", "HWOI".
        out_layout: a str. The dimensions of the result; "": as `data`.
        output_padding: an int or a tuple of ints. Places that the result has more at its end.
        out_dtype: the name of an element type. The type of sums and of the result; "": that of `data`.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.conv2d_transpose(relay.var("data", shape=(4, 4, 6, 5)), relay.var("weight", shape=(4, 3, 3, 4)))
    """

def conv3d(data: Any, weight: Any, strides: Any = ..., padding: Any = ..., dilation: Any = ..., groups: Any = ..., channels: Any = ..., kernel_size: Any = ..., data_layout: Any = ..., kernel_layout: Any = ..., out_layout: Any = ..., out_dtype: Any = ...) -> _relay.Expr:
    """A convolution (cross-correlation): for each filter the sum, over the channels of its group and a window, of data times weight.

    Args:
        data: an expression. The input, in `data_layout` (a floating type or an integer type).
        weight: an expression. The filters, in `kernel_layout`; I is the channels of one group (a floating type or an integer type).
        strides: an int or a tuple of ints. How far the window moves.
        padding: an int or a tuple of ints. Zeros around the input: one number, one for each dimension, or all before and then all after.
        dilation: an int or a tuple of ints. The distance of the window's elements.
        groups: an int. Channels are split into as many parts, each with filters of its own.
        channels: an int. The filters; 0: taken from the weight.
        kernel_size: an int or a tuple of ints. The window; empty: taken from the weight.
        data_layout: a str. The dimensions of `data`. One of "NCDHW", "NDHWC".
        kernel_layout: a str. The dimensions of `weight`. One of "OIDHW", "DHWIO", "ODHWI", "DHWOI".
        out_layout: a str. The dimensions of the result; "": as `data`.
        out_dtype: the name of an element type. The type of sums and of the result; "": that of `data`.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.conv3d(relay.var("data", shape=(4, 4, 5, 6, 7)), relay.var("weight", shape=(6, 4, 2, 3, 3)))
    """

def conv3d_transpose(data: Any, weight: Any, strides: Any = ..., padding: Any = ..., dilation: Any = ..., groups: Any = ..., channels: Any = ..., kernel_size: Any = ..., data_layout: Any = ..., kernel_layout: Any = ..., out_layout: Any = ..., output_padding: Any = ..., out_dtype: Any = ...) -> _relay.Expr:
    """The transposed convolution: each element of the input adds its window, times the weight, to the result. An extent is (in - 1) stride - padding + dilation (kernel - 1) + output_padding + 1 [PyTorch's ConvTranspose].

    Args:
        data: an expression. The input, in `data_layout` (a floating type or an integer type).
        weight: an expression. The filters, in `kernel_layout` (a floating type or an integer type).
        strides: an int or a tuple of ints. The distance of the windows in the result.
        padding: an int or a tuple of ints. What is cut off the result: one number, one for each dimension, or all before and then all after.
        dilation: an int or a tuple of ints. The distance of the window's elements.
        groups: an int. Channels are split into as many parts, each with filters of its own.
        channels: an int. The channels of the result; 0: taken from the weight.
        kernel_size: an int or a tuple of ints. The window; empty: taken from the weight.
        data_layout: a str. The dimensions of `data`. One of "NCDHW", "NDHWC".
        kernel_layout: a str. The dimensions of `weight`: I the channels of `data`, O those of the result in a group. (Relay calls IOW `OIW` and IODHW `OIDHW`.). One of "IODHW", "OIDHW", "DHWIO", "DHWOI".
        out_layout: a str. The dimensions of the result; "": as `data`.
        output_padding: an int or a tuple of ints. Places that the result has more at its end.
        out_dtype: the name of an element type. The type of sums and of the result; "": that of `data`.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.conv3d_transpose(relay.var("data", shape=(4, 4, 3, 4, 3)), relay.var("weight", shape=(4, 3, 2, 3, 3)))
    """

def cross_entropy(predictions: Any, targets: Any) -> _relay.Expr:
    """-(sum of targets ln(predictions)) / n.

    Args:
        predictions: an expression. Probabilities [n, classes] (a floating type).
        targets: an expression. The wanted probabilities [n, classes] (a floating type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.cross_entropy(relay.var("predictions", shape=(4, 6)), relay.var("targets", shape=(4, 6)))
    """

def cross_entropy_with_logits(predictions: Any, targets: Any) -> _relay.Expr:
    """-(sum of targets predictions) / n. As in Relay, `predictions` are logarithms of probabilities: nn.log_softmax makes them.

    Args:
        predictions: an expression. Log-probabilities [n, classes] (a floating type).
        targets: an expression. The wanted probabilities [n, classes] (a floating type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.cross_entropy_with_logits(relay.var("predictions", shape=(4, 6)), relay.var("targets", shape=(4, 6)))
    """

def deformable_conv2d(data: Any, offset: Any, weight: Any, strides: Any = ..., padding: Any = ..., dilation: Any = ..., deformable_groups: Any = ..., groups: Any = ..., channels: Any = ..., kernel_size: Any = ..., data_layout: Any = ..., kernel_layout: Any = ..., out_layout: Any = ..., out_dtype: Any = ..., mask: Any = ...) -> _relay.Expr:
    """A convolution whose taps are moved by offsets, between elements by linear interpolation [Dai et al., 2017], and weighted by a mask [Zhu et al., 2019]. Tap t of deformable group g has the offsets 2 (g taps + t) for y and the next one for x.

    Args:
        data: an expression. The input [n, channels, height, width] (a floating type).
        offset: an expression. How far taps are moved [n, 2 groups taps, rows, columns] (a floating type).
        weight: an expression. The filters OIHW (a floating type).
        mask: an expression, or None. Factors of the taps [n, groups taps, rows, columns] (a floating type).
        strides: an int or a tuple of ints. How far the window moves.
        padding: an int or a tuple of ints. Zeros around the input: one number, one for each dimension, or all before and then all after.
        dilation: an int or a tuple of ints. The distance of the window's elements.
        deformable_groups: an int. The channels of each have offsets of their own.
        groups: an int. Channels are split into as many parts, with filters of their own.
        channels: an int. The filters; 0: taken from the weight.
        kernel_size: an int or a tuple of ints. The window; empty: taken from the weight.
        data_layout: a str. The dimensions of `data`. One of "NCHW".
        kernel_layout: a str. The dimensions of `weight`. One of "OIHW".
        out_layout: a str. The dimensions of the result; "": as `data`. One of "", "NCHW".
        out_dtype: the name of an element type. The type of the result; "": that of `data`.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.deformable_conv2d(data=relay.var("data", shape=(4, 4, 6, 5)), offset=relay.var("offset", shape=(4, 12, 5, 3)), weight=relay.var("weight", shape=(3, 4, 2, 3)))
    """

def dense(data: Any, weight: Any, units: Any = ..., out_dtype: Any = ...) -> _relay.Expr:
    """Y = X W^T: y[..., j] = sum over k of x[..., k] w[j, k].

    Args:
        data: an expression. X [..., in] (a floating type or an integer type).
        weight: an expression. W [out, in] (a floating type or an integer type).
        units: an int. Out; 0: taken from the weight.
        out_dtype: the name of an element type. The type of sums and of the result; "": that of the inputs.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.dense(relay.var("data", shape=(4, 8)), relay.var("weight", shape=(5, 8)))
    """

def depth_to_space(data: Any, block_size: Any, layout: Any = ..., mode: Any = ...) -> _relay.Expr:
    """Channels become blocks of an image (ONNX): for NCHW, [n, c / block^2, h block, w block]. A channel's number is (i block + j) c / block^2 + k in mode "DCR", and k block^2 + i block + j in mode "CRD", for place (i, j) of a block.

    Args:
        data: an expression. The image (a floating type, an integer type or bool).
        block_size: an int. The edge of a block.
        layout: a str. Where the dimensions are. One of "NCHW", "NHWC".
        mode: a str. The order of the channels. One of "DCR", "CRD".

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.depth_to_space(relay.var("data", shape=(4, 8, 2, 3)), block_size=2)
    """

def dilate(data: Any, strides: Any, dilation_value: Any = ...) -> _relay.Expr:
    """The elements of `data` moved apart, with `dilation_value` between them: (extent - 1) stride + 1 in each dimension.

    Args:
        data: an expression. The input (a floating type or an integer type).
        strides: an int or a tuple of ints. The distance of neighbours, one for each dimension.
        dilation_value: a number. What stands between.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.dilate(relay.var("data", shape=(2, 3)), strides=(2, 3))
    """

def dropout(data: Any, rate: Any = ...) -> _relay.Expr:
    """Dropout does nothing when a network is used: returns (data, a mask of ones), where Relay has a tuple, too.

    Args:
        data: an expression. The input (a floating type).
        rate: a number. The share of elements that training drops.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.dropout(relay.var("data", shape=(4, 7)))
    """

def elu(data: Any, alpha: Any = ...) -> _relay.Expr:
    """x where x > 0, else alpha (e^x - 1) [Clevert et al., 2015].

    Args:
        data: an expression. The input (a floating type).
        alpha: a number. The limit far below 0, negated.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.elu(relay.var("data", shape=(4, 7)))
    """

def fold(data: Any, output_size: Any, kernel_size: Any, strides: Any = ..., padding: Any = ..., dilation: Any = ...) -> _relay.Expr:
    """The image of columns: each element is the sum of what the columns of nn.unfold have of it [PyTorch's fold].

    Args:
        data: an expression. Columns [n, channels kernel elements, windows] (a floating type or an integer type).
        output_size: a tuple of extents: ints, or expressions over sizes. Height and width of the image.
        kernel_size: an int or a tuple of ints. The window.
        strides: an int or a tuple of ints. How far the window moves.
        padding: an int or a tuple of ints. Zeros around the image: one number, one for each dimension, or all before and then all after.
        dilation: an int or a tuple of ints. The distance of the window's elements.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.fold(relay.var("data", shape=(4, 12, 20)), kernel_size=(2,), output_size=(6, 5))
    """

def gelu(data: Any) -> _relay.Expr:
    """x/2 (1 + erf(x / sqrt 2)) [Hendrycks, Gimpel, 2016]. For float32 by an approximation with an error below 3.6e-7 |x|.

    Args:
        data: an expression. The input (a floating type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.gelu(relay.var("data", shape=(4, 7)))
    """

def gelu_tanh(data: Any) -> _relay.Expr:
    """x/2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).

    Args:
        data: an expression. The input (a floating type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.gelu_tanh(relay.var("data", shape=(4, 7)))
    """

def global_avg_pool1d(data: Any, layout: Any = ..., out_layout: Any = ...) -> _relay.Expr:
    """The mean of each channel.

    Args:
        data: an expression. The input, in `layout` (a floating type).
        layout: a str. The dimensions of `data`: NCW, NWC, or in blocks (NCW16c).
        out_layout: a str. The dimensions of the result; "": as `data`.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.global_avg_pool1d(relay.var("data", shape=(4, 3, 9)))
    """

def global_avg_pool2d(data: Any, layout: Any = ..., out_layout: Any = ...) -> _relay.Expr:
    """The mean of each channel.

    Args:
        data: an expression. The input, in `layout` (a floating type).
        layout: a str. The dimensions of `data`: NCHW, NHWC, or in blocks (NCHW16c).
        out_layout: a str. The dimensions of the result; "": as `data`.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.global_avg_pool2d(relay.var("data", shape=(4, 3, 9, 8)))
    """

def global_avg_pool3d(data: Any, layout: Any = ..., out_layout: Any = ...) -> _relay.Expr:
    """The mean of each channel.

    Args:
        data: an expression. The input, in `layout` (a floating type).
        layout: a str. The dimensions of `data`: NCDHW, NDHWC, or in blocks (NCDHW16c).
        out_layout: a str. The dimensions of the result; "": as `data`.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.global_avg_pool3d(relay.var("data", shape=(4, 3, 5, 6, 7)))
    """

def global_max_pool1d(data: Any, layout: Any = ..., out_layout: Any = ...) -> _relay.Expr:
    """The greatest element of each channel.

    Args:
        data: an expression. The input, in `layout` (a floating type or an integer type).
        layout: a str. The dimensions of `data`: NCW, NWC, or in blocks (NCW16c).
        out_layout: a str. The dimensions of the result; "": as `data`.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.global_max_pool1d(relay.var("data", shape=(4, 3, 9)))
    """

def global_max_pool2d(data: Any, layout: Any = ..., out_layout: Any = ...) -> _relay.Expr:
    """The greatest element of each channel.

    Args:
        data: an expression. The input, in `layout` (a floating type or an integer type).
        layout: a str. The dimensions of `data`: NCHW, NHWC, or in blocks (NCHW16c).
        out_layout: a str. The dimensions of the result; "": as `data`.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.global_max_pool2d(relay.var("data", shape=(4, 3, 9, 8)))
    """

def global_max_pool3d(data: Any, layout: Any = ..., out_layout: Any = ...) -> _relay.Expr:
    """The greatest element of each channel.

    Args:
        data: an expression. The input, in `layout` (a floating type or an integer type).
        layout: a str. The dimensions of `data`: NCDHW, NDHWC, or in blocks (NCDHW16c).
        out_layout: a str. The dimensions of the result; "": as `data`.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.global_max_pool3d(relay.var("data", shape=(4, 3, 5, 6, 7)))
    """

def group_norm(data: Any, gamma: Any, beta: Any, num_groups: Any, axis: Any = ..., epsilon: Any = ..., center: Any = ..., scale: Any = ...) -> _relay.Expr:
    """(data - mean) / sqrt(variance + epsilon) gamma + beta, with mean and variance of each group of channels of each sample [Wu, He, 2018].

    Args:
        data: an expression. The input [n, ...] (a floating type).
        gamma: an expression. The scale [channels] (a floating type).
        beta: an expression. The shift [channels] (a floating type).
        num_groups: an int. As many parts of the channels.
        axis: an int. The dimension of the channels; not the first.
        epsilon: a number. Added to the variance.
        center: a bool. Is beta added?.
        scale: a bool. Is gamma multiplied?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.group_norm(relay.var("data", shape=(4, 4, 5)), relay.var("gamma", shape=(4,)), relay.var("beta", shape=(4,)), num_groups=2)
    """

def gru(data: Any, weight: Any, recurrence: Any, bias: Any = ..., initial_state: Any = ..., direction: Any = ..., linear_before_reset: Any = ..., panel: Any = ...) -> _relay.Expr:
    """z and r are sigmoids of their gates, h = tanh(X Wh^T + (r H) Rh^T + biases) and H = (1 - z) h + z H [Cho et al., 2014; ONNX's GRU]. Returns (the states of all steps [steps, directions, n, hidden], the last state [directions, n, hidden]).

    Args:
        data: an expression. X [steps, n, features] (a floating type).
        weight: an expression. W [directions, gates hidden, features]; the gates z, r, h (a floating type).
        recurrence: an expression. R [directions, gates hidden, hidden] (a floating type).
        bias: an expression, or None. [directions, 2 gates hidden]: of W, then of R; zeros if left out (a floating type).
        initial_state: an expression, or None. [directions, n, hidden]; zeros if left out (a floating type).
        direction: a str. From the first step, from the last one, or both; `reverse` keeps the order of the results. One of "forward", "reverse", "bidirectional".
        linear_before_reset: a bool. Is r multiplied after the product: r (H Rh^T + bias)?.
        panel: an int. W and R are in panels of so many columns, [directions, gates hidden / panel, features or hidden, panel], as products read them; 0: in rows.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.gru(relay.var("data", shape=(4, 2, 4)), relay.var("weight", shape=(1, 9, 4)), relay.var("recurrence", shape=(1, 9, 3)), relay.var("bias", shape=(1, 18)), relay.var("initial_state", shape=(1, 2, 3)))
    """

def hard_shrink(data: Any, lambd: Any = ...) -> _relay.Expr:
    """x where |x| > lambd, else 0.

    Args:
        data: an expression. The input (a floating type).
        lambd: a number. The threshold.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.hard_shrink(relay.var("data", shape=(4, 7)))
    """

def hard_sigmoid(data: Any, alpha: Any = ..., beta: Any = ...) -> _relay.Expr:
    """min(max(alpha x + beta, 0), 1).

    Args:
        data: an expression. The input (a floating type).
        alpha: a number. The slope.
        beta: a number. The value at 0.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.hard_sigmoid(relay.var("data", shape=(4, 7)))
    """

def hard_swish(data: Any) -> _relay.Expr:
    """x min(max(x / 6 + 1/2, 0), 1) [Howard et al., 2019].

    Args:
        data: an expression. The input (a floating type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.hard_swish(relay.var("data", shape=(4, 7)))
    """

def hard_tanh(data: Any) -> _relay.Expr:
    """min(max(x, -1), 1).

    Args:
        data: an expression. The input (a floating type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.hard_tanh(relay.var("data", shape=(4, 7)))
    """

def huber_loss(predictions: Any, targets: Any, reduction: Any = ..., delta: Any = ...) -> _relay.Expr:
    """d^2 / 2 for |d| <= delta, else delta (|d| - delta / 2), where d is predictions - targets [Huber, 1964; PyTorch's HuberLoss].

    Args:
        predictions: an expression. What was found; any shape (a floating type).
        targets: an expression. What was wanted; the same shape (a floating type).
        reduction: a str. The mean of all losses, their sum, or each of them. One of "mean", "sum", "none".
        delta: a number. From where on the loss is linear.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.huber_loss(relay.var("predictions", shape=(4, 6)), relay.var("targets", shape=(4, 6)))
    """

def instance_norm(data: Any, gamma: Any, beta: Any, axis: Any = ..., epsilon: Any = ..., center: Any = ..., scale: Any = ...) -> _relay.Expr:
    """(data - mean) / sqrt(variance + epsilon) gamma + beta, with mean and variance of each channel of each sample [Ulyanov et al., 2016].

    Args:
        data: an expression. The input [n, ...] (a floating type).
        gamma: an expression. The scale [channels] (a floating type).
        beta: an expression. The shift [channels] (a floating type).
        axis: an int. The dimension of the channels; not the first.
        epsilon: a number. Added to the variance.
        center: a bool. Is beta added?.
        scale: a bool. Is gamma multiplied?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.instance_norm(relay.var("data", shape=(4, 4, 5)), relay.var("gamma", shape=(4,)), relay.var("beta", shape=(4,)))
    """

def l2_normalize(data: Any, eps: Any, axis: Any = ...) -> _relay.Expr:
    """data / sqrt(max(sum of data^2 along some dimensions, eps)).

    Args:
        data: an expression. The input (a floating type).
        eps: a number. The least sum of squares.
        axis: an int or a tuple of ints. The dimensions of the sum; empty: all.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.l2_normalize(relay.var("data", shape=(4, 3, 5)), axis=(1,), eps=1e-06)
    """

def layer_norm(data: Any, gamma: Any, beta: Any, axis: Any = ..., epsilon: Any = ..., center: Any = ..., scale: Any = ...) -> _relay.Expr:
    """(data - mean) / sqrt(variance + epsilon) gamma + beta, with mean and variance along the last dimension [Ba et al., 2016].

    Args:
        data: an expression. The input (a floating type).
        gamma: an expression. The scale [last extent] (a floating type).
        beta: an expression. The shift [last extent] (a floating type).
        axis: an int. The dimension; only the last one.
        epsilon: a number. Added to the variance.
        center: a bool. Is beta added?.
        scale: a bool. Is gamma multiplied?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.layer_norm(relay.var("data", shape=(4, 8)), relay.var("gamma", shape=(8,)), relay.var("beta", shape=(8,)))
    """

def leaky_relu(data: Any, alpha: Any = ...) -> _relay.Expr:
    """x where x > 0, else alpha x.

    Args:
        data: an expression. The input (a floating type).
        alpha: a number. The slope below 0.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.leaky_relu(relay.var("data", shape=(4, 7)))
    """

def log_sigmoid(data: Any) -> _relay.Expr:
    """-ln(1 + e^-x).

    Args:
        data: an expression. The input (a floating type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.log_sigmoid(relay.var("data", shape=(4, 7)))
    """

def log_softmax(data: Any, axis: Any = ...) -> _relay.Expr:
    """x - max - ln(sum of e^(x - max)), along one dimension.

    Args:
        data: an expression. The input (a floating type).
        axis: an int. The dimension.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.log_softmax(relay.var("data", shape=(4, 7)))
    """

def lp_pool1d(data: Any, p: Any = ..., pool_size: Any = ..., strides: Any = ..., dilation: Any = ..., padding: Any = ..., layout: Any = ...) -> _relay.Expr:
    """The p-norm of each window: (sum of |x|^p)^(1/p) [ONNX's LpPool].

    Args:
        data: an expression. The input, in `layout` (a floating type).
        p: an int. The exponent.
        pool_size: an int or a tuple of ints. The window.
        strides: an int or a tuple of ints. How far the window moves.
        dilation: an int or a tuple of ints. The distance of the window's elements.
        padding: an int or a tuple of ints. Zeros around the input: one number, one for each dimension, or all before and then all after.
        layout: a str. The dimensions of `data`. One of "NCW", "NWC".

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.lp_pool1d(relay.var("data", shape=(4, 3, 9)), pool_size=(2,), strides=(2,))
    """

def lp_pool2d(data: Any, p: Any = ..., pool_size: Any = ..., strides: Any = ..., dilation: Any = ..., padding: Any = ..., layout: Any = ...) -> _relay.Expr:
    """The p-norm of each window: (sum of |x|^p)^(1/p) [ONNX's LpPool].

    Args:
        data: an expression. The input, in `layout` (a floating type).
        p: an int. The exponent.
        pool_size: an int or a tuple of ints. The window.
        strides: an int or a tuple of ints. How far the window moves.
        dilation: an int or a tuple of ints. The distance of the window's elements.
        padding: an int or a tuple of ints. Zeros around the input: one number, one for each dimension, or all before and then all after.
        layout: a str. The dimensions of `data`. One of "NCHW", "NHWC".

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.lp_pool2d(relay.var("data", shape=(4, 3, 9, 8)), pool_size=(2,), strides=(2,))
    """

def lp_pool3d(data: Any, p: Any = ..., pool_size: Any = ..., strides: Any = ..., dilation: Any = ..., padding: Any = ..., layout: Any = ...) -> _relay.Expr:
    """The p-norm of each window: (sum of |x|^p)^(1/p) [ONNX's LpPool].

    Args:
        data: an expression. The input, in `layout` (a floating type).
        p: an int. The exponent.
        pool_size: an int or a tuple of ints. The window.
        strides: an int or a tuple of ints. How far the window moves.
        dilation: an int or a tuple of ints. The distance of the window's elements.
        padding: an int or a tuple of ints. Zeros around the input: one number, one for each dimension, or all before and then all after.
        layout: a str. The dimensions of `data`. One of "NCDHW", "NDHWC".

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.lp_pool3d(relay.var("data", shape=(4, 3, 5, 6, 7)), pool_size=(2,), strides=(2,))
    """

def lrn(data: Any, size: Any = ..., axis: Any = ..., bias: Any = ..., alpha: Any = ..., beta: Any = ...) -> _relay.Expr:
    """data / (bias + alpha / size sum of data^2 over `size` neighbours along `axis`)^beta [Krizhevsky et al., 2012]. The neighbours of c are c - floor((size - 1) / 2) to c + ceil((size - 1) / 2) [ONNX's LRN].

    Args:
        data: an expression. The input (a floating type).
        size: an int. The number of neighbours, with the element itself.
        axis: an int. The dimension of the channels.
        bias: a number. Added to the sum.
        alpha: a number. The factor of the sum.
        beta: a number. The exponent.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.lrn(relay.var("data", shape=(4, 7, 3)))
    """

def lstm(data: Any, weight: Any, recurrence: Any, bias: Any = ..., initial_state: Any = ..., initial_memory: Any = ..., direction: Any = ..., panel: Any = ...) -> _relay.Expr:
    """i, o and f are sigmoids of their gates, C = f C + i tanh(gate c) and H = o tanh(C) [Hochreiter, Schmidhuber, 1997; ONNX's LSTM without peepholes]. Returns (the states of all steps [steps, directions, n, hidden], the last state [directions, n, hidden], the last memory).

    Args:
        data: an expression. X [steps, n, features] (a floating type).
        weight: an expression. W [directions, gates hidden, features]; the gates i, o, f, c (a floating type).
        recurrence: an expression. R [directions, gates hidden, hidden] (a floating type).
        bias: an expression, or None. [directions, 2 gates hidden]: of W, then of R; zeros if left out (a floating type).
        initial_state: an expression, or None. [directions, n, hidden]; zeros if left out (a floating type).
        initial_memory: an expression, or None. [directions, n, hidden]; zeros if left out (a floating type).
        direction: a str. From the first step, from the last one, or both; `reverse` keeps the order of the results. One of "forward", "reverse", "bidirectional".
        panel: an int. W and R are in panels of so many columns, [directions, gates hidden / panel, features or hidden, panel], as products read them; 0: in rows.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.lstm(relay.var("data", shape=(4, 2, 4)), relay.var("weight", shape=(1, 12, 4)), relay.var("recurrence", shape=(1, 12, 3)), relay.var("bias", shape=(1, 24)), relay.var("initial_state", shape=(1, 2, 3)), relay.var("initial_memory", shape=(1, 2, 3)))
    """

def matmul(tensor_a: Any, tensor_b: Any, units: Any = ..., out_dtype: Any = ..., transpose_a: Any = ..., transpose_b: Any = ...) -> _relay.Expr:
    """The product of two matrices.

    Args:
        tensor_a: an expression. A [i, k] (a floating type or an integer type).
        tensor_b: an expression. B [k, j] (a floating type or an integer type).
        units: an int. The columns of the result; 0: taken from B.
        out_dtype: the name of an element type. The type of sums and of the result; "": that of the inputs.
        transpose_a: a bool. Is A [..., k, i]?.
        transpose_b: a bool. Is B [..., j, k]?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.matmul(relay.var("tensor_a", shape=(4, 8)), relay.var("tensor_b", shape=(8, 5)))
    """

def max_pool1d(data: Any, pool_size: Any = ..., strides: Any = ..., dilation: Any = ..., padding: Any = ..., layout: Any = ..., out_layout: Any = ..., ceil_mode: Any = ...) -> _relay.Expr:
    """The greatest element of each window.

    Args:
        data: an expression. The input, in `layout` (a floating type or an integer type).
        pool_size: an int or a tuple of ints. The window.
        strides: an int or a tuple of ints. How far the window moves.
        dilation: an int or a tuple of ints. The distance of the window's elements.
        padding: an int or a tuple of ints. The frame around the input: one number, one for each dimension, or all before and then all after.
        layout: a str. The dimensions of `data`: NCW, NWC, or in blocks (NCW16c).
        out_layout: a str. The dimensions of the result; "": as `data`.
        ceil_mode: a bool. Windows that leave the frame count if they begin inside of it.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.max_pool1d(relay.var("data", shape=(4, 3, 9)), pool_size=(2,), strides=(2,))
    """

def max_pool1d_indices(data: Any, pool_size: Any = ..., strides: Any = ..., dilation: Any = ..., padding: Any = ..., layout: Any = ..., out_layout: Any = ..., ceil_mode: Any = ...) -> _relay.Expr:
    """Where nn.max_pool1d takes its elements from: their numbers in `data` in row-major order, int64. Of equal elements it is the first one's.

    Args:
        data: an expression. The input, in `layout` (a floating type or an integer type).
        pool_size: an int or a tuple of ints. The window.
        strides: an int or a tuple of ints. How far the window moves.
        dilation: an int or a tuple of ints. The distance of the window's elements.
        padding: an int or a tuple of ints. The frame around the input: one number, one for each dimension, or all before and then all after.
        layout: a str. The dimensions of `data`: NCW, NWC, or in blocks (NCW16c).
        out_layout: a str. The dimensions of the result; "": as `data`.
        ceil_mode: a bool. Windows that leave the frame count if they begin inside of it.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.max_pool1d_indices(relay.var("data", shape=(4, 3, 9)), pool_size=(2,), strides=(2,))
    """

def max_pool2d(data: Any, pool_size: Any = ..., strides: Any = ..., dilation: Any = ..., padding: Any = ..., layout: Any = ..., out_layout: Any = ..., ceil_mode: Any = ...) -> _relay.Expr:
    """The greatest element of each window.

    Args:
        data: an expression. The input, in `layout` (a floating type or an integer type).
        pool_size: an int or a tuple of ints. The window.
        strides: an int or a tuple of ints. How far the window moves.
        dilation: an int or a tuple of ints. The distance of the window's elements.
        padding: an int or a tuple of ints. The frame around the input: one number, one for each dimension, or all before and then all after.
        layout: a str. The dimensions of `data`: NCHW, NHWC, or in blocks (NCHW16c).
        out_layout: a str. The dimensions of the result; "": as `data`.
        ceil_mode: a bool. Windows that leave the frame count if they begin inside of it.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.max_pool2d(relay.var("data", shape=(4, 3, 9, 8)), pool_size=(2,), strides=(2,))
    """

def max_pool2d_indices(data: Any, pool_size: Any = ..., strides: Any = ..., dilation: Any = ..., padding: Any = ..., layout: Any = ..., out_layout: Any = ..., ceil_mode: Any = ...) -> _relay.Expr:
    """Where nn.max_pool2d takes its elements from: their numbers in `data` in row-major order, int64. Of equal elements it is the first one's.

    Args:
        data: an expression. The input, in `layout` (a floating type or an integer type).
        pool_size: an int or a tuple of ints. The window.
        strides: an int or a tuple of ints. How far the window moves.
        dilation: an int or a tuple of ints. The distance of the window's elements.
        padding: an int or a tuple of ints. The frame around the input: one number, one for each dimension, or all before and then all after.
        layout: a str. The dimensions of `data`: NCHW, NHWC, or in blocks (NCHW16c).
        out_layout: a str. The dimensions of the result; "": as `data`.
        ceil_mode: a bool. Windows that leave the frame count if they begin inside of it.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.max_pool2d_indices(relay.var("data", shape=(4, 3, 9, 8)), pool_size=(2,), strides=(2,))
    """

def max_pool3d(data: Any, pool_size: Any = ..., strides: Any = ..., dilation: Any = ..., padding: Any = ..., layout: Any = ..., out_layout: Any = ..., ceil_mode: Any = ...) -> _relay.Expr:
    """The greatest element of each window.

    Args:
        data: an expression. The input, in `layout` (a floating type or an integer type).
        pool_size: an int or a tuple of ints. The window.
        strides: an int or a tuple of ints. How far the window moves.
        dilation: an int or a tuple of ints. The distance of the window's elements.
        padding: an int or a tuple of ints. The frame around the input: one number, one for each dimension, or all before and then all after.
        layout: a str. The dimensions of `data`: NCDHW, NDHWC, or in blocks (NCDHW16c).
        out_layout: a str. The dimensions of the result; "": as `data`.
        ceil_mode: a bool. Windows that leave the frame count if they begin inside of it.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.max_pool3d(relay.var("data", shape=(4, 3, 5, 6, 7)), pool_size=(2,), strides=(2,))
    """

def max_pool3d_indices(data: Any, pool_size: Any = ..., strides: Any = ..., dilation: Any = ..., padding: Any = ..., layout: Any = ..., out_layout: Any = ..., ceil_mode: Any = ...) -> _relay.Expr:
    """Where nn.max_pool3d takes its elements from: their numbers in `data` in row-major order, int64. Of equal elements it is the first one's.

    Args:
        data: an expression. The input, in `layout` (a floating type or an integer type).
        pool_size: an int or a tuple of ints. The window.
        strides: an int or a tuple of ints. How far the window moves.
        dilation: an int or a tuple of ints. The distance of the window's elements.
        padding: an int or a tuple of ints. The frame around the input: one number, one for each dimension, or all before and then all after.
        layout: a str. The dimensions of `data`: NCDHW, NDHWC, or in blocks (NCDHW16c).
        out_layout: a str. The dimensions of the result; "": as `data`.
        ceil_mode: a bool. Windows that leave the frame count if they begin inside of it.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.max_pool3d_indices(relay.var("data", shape=(4, 3, 5, 6, 7)), pool_size=(2,), strides=(2,))
    """

def max_unpool2d(data: Any, indices: Any, pool_size: Any, strides: Any = ..., padding: Any = ..., output_size: Any = ...) -> _relay.Expr:
    """Zeros, with the elements of `data` at the places from which a maximum pool took them [PyTorch's max_unpool2d]. Places outside of the result are left out; where two elements have one place, the later one stays.

    Args:
        data: an expression. The pool's result [n, c, h, w] (a floating type, an integer type or bool).
        indices: an expression. For each element its place in the plane, y width + x (int32 or int64).
        pool_size: an int or a tuple of ints. The window.
        strides: an int or a tuple of ints. How far the window moved; empty: the window.
        padding: an int or a tuple of ints. The frame around the pool's input: one number, one for each dimension, or all before and then all after.
        output_size: a tuple of extents: ints, or expressions over sizes. Height and width of the result; empty: (extent - 1) stride - padding + pool.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.max_unpool2d(relay.var("data", shape=(4, 2, 3, 4)), relay.var("indices", shape=(4, 2, 3, 4), dtype="int64"), pool_size=(2,))
    """

def mirror_pad(data: Any, pad_width: Any, mode: Any = ...) -> _relay.Expr:
    """`data` with a frame of its mirror image: extent + before + after in each dimension. "SYMMETRIC" repeats the first and the last element, "REFLECT" does not.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        pad_width: a tuple of extents: ints, or expressions over sizes. The padding: [before dimension 0, after it, before dimension 1, ...]; negative: what is cut off.
        mode: a str. The kind of mirror. One of "SYMMETRIC", "REFLECT".

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.mirror_pad(relay.var("data", shape=(4, 3)), pad_width=(1, 2, 3, 7))
    """

def mish(data: Any) -> _relay.Expr:
    """x tanh(ln(1 + e^x)) [Misra, 2019].

    Args:
        data: an expression. The input (a floating type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.mish(relay.var("data", shape=(4, 7)))
    """

def mse_loss(predictions: Any, targets: Any, reduction: Any = ...) -> _relay.Expr:
    """(predictions - targets)^2 [PyTorch's MSELoss].

    Args:
        predictions: an expression. What was found; any shape (a floating type).
        targets: an expression. What was wanted; the same shape (a floating type).
        reduction: a str. The mean of all losses, their sum, or each of them. One of "mean", "sum", "none".

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.mse_loss(relay.var("predictions", shape=(4, 6)), relay.var("targets", shape=(4, 6)))
    """

def nll_loss(predictions: Any, targets: Any, weights: Any, reduction: Any = ..., ignore_index: Any = ...) -> _relay.Expr:
    """-weights[t] predictions[n, t, ...] for the target t at [n, ...]; targets that are `ignore_index` count nothing. The mean divides by the sum of the weights [PyTorch's NLLLoss].

    Args:
        predictions: an expression. Log-probabilities [n, classes, ...] (a floating type).
        targets: an expression. Classes [n, ...] (int32 or int64).
        weights: an expression. The weight of each class [classes] (a floating type).
        reduction: a str. The mean of all losses, their sum, or each of them. One of "mean", "sum", "none".
        ignore_index: an int. The target that is ignored.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.nll_loss(relay.var("predictions", shape=(4, 6)), relay.var("targets", shape=(4,), dtype="int32"), relay.var("weights", shape=(6,)))
    """

def pad(data: Any, pad_width: Any, pad_value: Any = ..., pad_mode: Any = ...) -> _relay.Expr:
    """`data` with a frame around it: extent + before + after in each dimension. A frame wider than the input goes on with the same rule (NumPy).

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        pad_value: an expression, or None. What a constant frame has, []; 0 if left out (a floating type, an integer type or bool).
        pad_width: a tuple of extents: ints, or expressions over sizes. The padding: [before dimension 0, after it, before dimension 1, ...]; negative: what is cut off.
        pad_mode: a str. "constant": `pad_value`; "edge": the nearest element; "reflect": mirrored at the first and the last element; "wrap": counted around. One of "constant", "edge", "reflect", "wrap".

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.pad(data=relay.var("data", shape=(4, 3)), pad_value=relay.var("pad_value", shape=()), pad_width=(0, 1, 2, 3))
    """

def prelu(data: Any, alpha: Any, axis: Any = ...) -> _relay.Expr:
    """x where x > 0, else alpha x, with an alpha for each channel [He et al., Delving Deep into Rectifiers, 2015].

    Args:
        data: an expression. The input (a floating type).
        alpha: an expression. The slopes [channels] (a floating type).
        axis: an int. The dimension of the channels.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.prelu(relay.var("data", shape=(4, 3, 5)), relay.var("alpha", shape=(3,)))
    """

def relu(data: Any) -> _relay.Expr:
    """max(x, 0).

    Args:
        data: an expression. The input (a floating type or an integer type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.relu(relay.var("data", shape=(4, 7)))
    """

def relu6(data: Any) -> _relay.Expr:
    """min(max(x, 0), 6).

    Args:
        data: an expression. The input (a floating type or an integer type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.relu6(relay.var("data", shape=(4, 7)))
    """

def rms_norm(data: Any, weight: Any, axis: Any = ..., epsilon: Any = ...) -> _relay.Expr:
    """data / sqrt(mean of data^2 + epsilon) weight, with the mean over the dimensions from `axis` on [Zhang, Sennrich, 2019; ONNX's RMSNormalization].

    Args:
        data: an expression. The input (a floating type).
        weight: an expression. The scale, of the extents that are normalised (a floating type).
        axis: an int. The first dimension that is normalised.
        epsilon: a number. Added to the mean of the squares.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.rms_norm(relay.var("data", shape=(4, 8)), relay.var("weight", shape=(8,)))
    """

def rnn(data: Any, weight: Any, recurrence: Any, bias: Any = ..., initial_state: Any = ..., direction: Any = ..., activation: Any = ..., panel: Any = ...) -> _relay.Expr:
    """H = f(X W^T + H R^T + biases) [ONNX's RNN]. Returns (the states of all steps [steps, directions, n, hidden], the last state [directions, n, hidden]).

    Args:
        data: an expression. X [steps, n, features] (a floating type).
        weight: an expression. W [directions, gates hidden, features]; the only gate (a floating type).
        recurrence: an expression. R [directions, gates hidden, hidden] (a floating type).
        bias: an expression, or None. [directions, 2 gates hidden]: of W, then of R; zeros if left out (a floating type).
        initial_state: an expression, or None. [directions, n, hidden]; zeros if left out (a floating type).
        direction: a str. From the first step, from the last one, or both; `reverse` keeps the order of the results. One of "forward", "reverse", "bidirectional".
        activation: a str. F. One of "tanh", "relu".
        panel: an int. W and R are in panels of so many columns, [directions, gates hidden / panel, features or hidden, panel], as products read them; 0: in rows.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.rnn(relay.var("data", shape=(4, 2, 4)), relay.var("weight", shape=(1, 3, 4)), relay.var("recurrence", shape=(1, 3, 3)), relay.var("bias", shape=(1, 6)), relay.var("initial_state", shape=(1, 2, 3)))
    """

def rotary_embedding(data: Any, cos: Any, sin: Any, positions: Any = ..., interleaved: Any = ..., rotary_dim: Any = ...) -> _relay.Expr:
    """Pairs of features, turned by angles that grow with the place [Su et al., 2021; ONNX's RotaryEmbedding]: (a cos - b sin, a sin + b cos). A pair is features i and i + d / 2 of the first d, or 2 i and 2 i + 1 if they are interleaved.

    Args:
        data: an expression. [n, heads, places, features] (a floating type).
        cos: an expression. The cosines [places, d / 2]; without `positions` also [n, places, d / 2] (a floating type).
        sin: an expression. The sines; the same shape (a floating type).
        positions: an expression, or None. Which rows of the tables the places have [n, places] (int32 or int64).
        interleaved: a bool. Are pairs neighbours?.
        rotary_dim: an int. D, how many features are turned; 0: all.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.rotary_embedding(relay.var("data", shape=(4, 2, 5, 8)), relay.var("cos", shape=(5, 4)), relay.var("sin", shape=(5, 4)))
    """

def selu(data: Any, alpha: Any = ..., gamma: Any = ...) -> _relay.Expr:
    """gamma x where x > 0, else gamma alpha (e^x - 1) [Klambauer et al., 2017].

    Args:
        data: an expression. The input (a floating type).
        alpha: a number. The limit far below 0, negated.
        gamma: a number. The scale.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.selu(relay.var("data", shape=(4, 7)))
    """

def silu(data: Any) -> _relay.Expr:
    """x / (1 + e^-x), also called swish [Ramachandran et al., 2017].

    Args:
        data: an expression. The input (a floating type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.silu(relay.var("data", shape=(4, 7)))
    """

def soft_shrink(data: Any, lambd: Any = ...) -> _relay.Expr:
    """x moved towards 0 by lambd; 0 if that passes 0.

    Args:
        data: an expression. The input (a floating type).
        lambd: a number. How far.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.soft_shrink(relay.var("data", shape=(4, 7)))
    """

def softmax(data: Any, axis: Any = ...) -> _relay.Expr:
    """e^(x - max) / sum of e^(x - max), along one dimension.

    Args:
        data: an expression. The input (a floating type).
        axis: an int. The dimension.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.softmax(relay.var("data", shape=(4, 7)))
    """

def softplus(data: Any) -> _relay.Expr:
    """ln(1 + e^x).

    Args:
        data: an expression. The input (a floating type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.softplus(relay.var("data", shape=(4, 7)))
    """

def softsign(data: Any) -> _relay.Expr:
    """x / (1 + |x|).

    Args:
        data: an expression. The input (a floating type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.softsign(relay.var("data", shape=(4, 7)))
    """

def space_to_batch_nd(data: Any, block_shape: Any, paddings: Any, pad_value: Any = ...) -> _relay.Expr:
    """Places of blocks become batches (TensorFlow): [n product(block_shape), (extent + before + after) / block, ..., rest]. Batches of the first place of a block come first.

    Args:
        data: an expression. [n, space..., rest...] (a floating type or an integer type).
        block_shape: an int or a tuple of ints. The extents of a block, for dimensions 1, 2, .
        paddings: an int or a tuple of ints. [before, after] for each entry of `block_shape`.
        pad_value: a number. What the padding has.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.space_to_batch_nd(relay.var("data", shape=(4, 3, 4, 2)), block_shape=(2, 3), paddings=(0, 1, 1, 1))
    """

def space_to_depth(data: Any, block_size: Any, layout: Any = ...) -> _relay.Expr:
    """Blocks of an image become channels (ONNX): for NCHW, [n, block^2 c, h / block, w / block] with y[n, (i block + j) c + k, y, x] = data[n, k, y block + i, x block + j].

    Args:
        data: an expression. The image (a floating type, an integer type or bool).
        block_size: an int. The edge of a block.
        layout: a str. Where the dimensions are. One of "NCHW", "NHWC".

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.space_to_depth(relay.var("data", shape=(4, 3, 4, 6)), block_size=2)
    """

def thresholded_relu(data: Any, alpha: Any = ...) -> _relay.Expr:
    """x where x > alpha, else 0.

    Args:
        data: an expression. The input (a floating type).
        alpha: a number. The threshold.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.thresholded_relu(relay.var("data", shape=(4, 7)))
    """

def unfold(data: Any, kernel_size: Any, strides: Any = ..., padding: Any = ..., dilation: Any = ...) -> _relay.Expr:
    """The windows of an image as columns (im2col): [n, channels kernel elements, windows] [PyTorch's unfold].

    Args:
        data: an expression. The image [n, channels, height, width] (a floating type, an integer type or bool).
        kernel_size: an int or a tuple of ints. The window.
        strides: an int or a tuple of ints. How far the window moves.
        padding: an int or a tuple of ints. Zeros around the image: one number, one for each dimension, or all before and then all after.
        dilation: an int or a tuple of ints. The distance of the window's elements.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.unfold(relay.var("data", shape=(4, 3, 6, 5)), kernel_size=(2, 3))
    """

def upsampling(data: Any, scale_h: Any = ..., scale_w: Any = ..., layout: Any = ..., method: Any = ..., align_corners: Any = ...) -> _relay.Expr:
    """An image whose height and width are multiplied; extents are rounded. A composition of image.resize2d, with the places of align_corners or of asymmetric, as Relay has it.

    Args:
        data: an expression. The image, in `layout` (a floating type or an integer type).
        scale_h: a number. The factor of the height.
        scale_w: a number. The factor of the width.
        layout: a str. The dimensions of `data`. One of "NCHW", "NHWC".
        method: a str. How elements are found. One of "nearest_neighbor", "bilinear", "bicubic".
        align_corners: a bool. Do the corners stay where they are?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.upsampling(relay.var("data", shape=(4, 3, 4, 5)), scale_h=2.0, scale_w=1.5)
    """
