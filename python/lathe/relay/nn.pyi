"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.relay.expr as _relay

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

def contrib_conv2d_nchwc(data: Any, kernel: Any, strides: Any = ..., padding: Any = ..., dilation: Any = ...) -> _relay.Expr:
    """nn.conv2d with channels in blocks: the result is [batch, O / o, rows, columns, o].

    Args:
        data: an expression. [batch, C / c, height, width, c] (a floating type or an integer type).
        kernel: an expression. [O / o, C / c, window height, window width, c, o] (a floating type or an integer type).
        strides: an int or a tuple of ints. How far the window moves.
        padding: an int or a tuple of ints. Zeros around the input, as for nn.conv2d.
        dilation: an int or a tuple of ints. The distance of the window's elements.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.contrib_conv2d_nchwc(relay.var("data", shape=(4, 2, 9, 7, 4)), relay.var("kernel", shape=(3, 2, 3, 3, 4, 8)))
    """

def contrib_depthwise_conv2d_nchwc(data: Any, kernel: Any, strides: Any = ..., padding: Any = ..., dilation: Any = ...) -> _relay.Expr:
    """A convolution with one filter for each channel, with channels in blocks.

    Args:
        data: an expression. [batch, C / c, height, width, c] (a floating type or an integer type).
        kernel: an expression. [C / c, window height, window width, c] (a floating type or an integer type).
        strides: an int or a tuple of ints. How far the window moves.
        padding: an int or a tuple of ints. Zeros around the input, as for nn.conv2d.
        dilation: an int or a tuple of ints. The distance of the window's elements.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.nn.contrib_depthwise_conv2d_nchwc(relay.var("data", shape=(4, 2, 9, 7, 4)), relay.var("kernel", shape=(2, 3, 3, 4)))
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
