"""Operators of neural networks that are compositions of others: comparisons of images, gradients, other layouts."""

from ... import relay
from ...error import LatheValueError
from ...relay._composed_nn import resized_volumes
from ...relay._composed_parts import plain_shape
from ...relay._composed_windows import slope_of
from .. import _derive
from .._from_relay import of_tensors, that_reads
from .conv import _number
from .utils import get_pad_tuple

_derive.install(globals(), {
    "deformable_conv2d_nchw(data, offset, kernel:weight, strides, padding, dilation, deformable_groups, groups, "
    "out_dtype)": "nn.deformable_conv2d",
    "conv2d_NCHWc_int8(data, kernel, stride:strides, padding, dilation, layout:_='NCHWc', out_layout:_='NCHWc', "
    "out_dtype:_='int32', n_elems:_=4)": "nn.contrib_conv2d_nchwc_int8",
})


def dense_pack(data, weight, bias=None, out_dtype=None):
    """`dense` with weights in blocks of columns.

    Args:
        data: a tensor (rows, depth).
        weight: a tensor (columns / c, depth, c).
        bias: a tensor (columns,), or None.
        out_dtype: the element type of the result.

    Returns:
        A tensor (rows, columns).

    Example:
        >>> from lathe import te, topi
        >>> topi.nn.dense_pack(te.placeholder((2, 8)), te.placeholder((3, 8, 16)), te.placeholder((48,))).shape
        (2, 48)
    """
    made = _derive.apply("nn.contrib_dense_pack", [data, weight])
    made = _derive.apply("reshape", [made], newshape=(data.shape[0], weight.shape[0] * weight.shape[2]))
    if out_dtype and made.dtype != out_dtype:
        made = _derive.apply("cast", [made], dtype=out_dtype)
    return made if bias is None else _derive.apply("nn.bias_add", [made, bias], axis=-1)


def deformable_conv2d_nhwc(data, offset, kernel, strides, padding, dilation, deformable_groups, groups, out_dtype):
    """`deformable_conv2d_nchw` of other orders of dimensions.

    Args:
        data: a tensor (batch, height, width, channels).
        offset: a tensor (batch, out height, out width, 2 deformable_groups taps).
        kernel: a tensor (window height, window width, channels / groups, out channels).
        strides, padding, dilation, deformable_groups, groups, out_dtype: as of `deformable_conv2d_nchw`.

    Returns:
        A tensor (batch, out height, out width, out channels).

    Example:
        >>> from lathe import te, topi
        >>> data, offset = te.placeholder((1, 6, 5, 4)), te.placeholder((1, 6, 5, 18))
        >>> topi.nn.deformable_conv2d_nhwc(data, offset, te.placeholder((3, 3, 4, 2)), 1, 1, 1, 1, 1, "float32").shape
        (1, 6, 5, 2)
    """
    data, offset = (_derive.apply("transpose", [one], axes=(0, 3, 1, 2)) for one in (data, offset))
    kernel = _derive.apply("transpose", [kernel], axes=(3, 2, 0, 1))
    made = _derive.apply("nn.deformable_conv2d", [data, offset, kernel], strides=strides, padding=padding,
                         dilation=dilation, deformable_groups=deformable_groups, groups=groups, out_dtype=out_dtype)
    return _derive.apply("transpose", [made], axes=(0, 2, 3, 1))


def correlation_nchw(data1, data2, kernel_size, max_displacement, stride1, stride2, padding, is_multiply):
    """How well patches of one image fit patches of another one near the same place: `relay.nn.correlation`.

    Args:
        data1, data2: tensors (batch, channels, height, width) of one shape.
        kernel_size, max_displacement, stride1, stride2, padding, is_multiply: as of `relay.nn.correlation`.

    Returns:
        A tensor (batch, displacements, out height, out width).

    Example:
        >>> from lathe import te, topi
        >>> x, y = te.placeholder((1, 4, 8, 8)), te.placeholder((1, 4, 8, 8))
        >>> topi.nn.correlation_nchw(x, y, 3, 2, 1, 2, 3, True).shape
        (1, 9, 8, 8)
    """
    return of_tensors(lambda x, y: relay.nn.correlation(x, y, kernel_size, max_displacement, stride1, stride2, padding,
                                                        is_multiply, "NCHW"), data1, data2)


def fifo_buffer(data, buffer, axis):
    """The last elements along an axis of `buffer` followed by `data`: a queue into which `data` is pushed.

    Args:
        data: a tensor.
        buffer: a tensor whose shape differs from that of `data` along `axis` only.
        axis: the dimension.

    Returns:
        A tensor of the shape of `buffer`.

    Example:
        >>> from lathe import te, topi
        >>> topi.nn.fifo_buffer(te.placeholder((1, 4)), te.placeholder((3, 4)), 0).shape
        (3, 4)
    """
    return of_tensors(lambda x, y: relay.nn.fifo_buffer(x, y, axis), data, buffer)


def pool_grad(grads, data, kernel, stride, padding, pool_type, ceil_mode=False, layout="NCHW", count_include_pad=True):
    """The gradient of `pool2d` with respect to its data.

    Args:
        grads: the gradient of the result, a tensor.
        data: the data of the pool, a tensor.
        kernel, stride, padding, pool_type, ceil_mode, layout, count_include_pad: those of the pool. `padding` is top,
            left, bottom, right.

    Returns:
        A tensor of the shape of `data`.

    Example:
        >>> from lathe import te, topi
        >>> grads, data = te.placeholder((1, 4, 4, 4)), te.placeholder((1, 4, 8, 8))
        >>> topi.nn.pool_grad(grads, data, [2, 2], [2, 2], [0, 0, 0, 0], "max").shape
        (1, 4, 8, 8)
    """
    if pool_type not in ("max", "avg"):
        raise LatheValueError(f"there is no pool {pool_type!r}", "topi-argument", 'expected: "max" or "avg"')
    more = {"pool_size": kernel, "strides": stride, "padding": padding, "layout": layout, "ceil_mode": ceil_mode}
    if pool_type == "max":
        return of_tensors(lambda g, x: relay.nn.max_pool2d_grad(g, x, **more), grads, data)
    more["count_include_pad"] = count_include_pad
    return that_reads(of_tensors(lambda g, x: relay.nn.avg_pool2d_grad(g, x, **more), grads, data), data)


def depthwise_conv2d_backward_input_nhwc(Filter, Out_grad, oshape, ishape, stride, padding):
    """The gradient of `depthwise_conv2d_nhwc` with respect to its data.

    Args:
        Filter: a tensor (window height, window width, channels, results of each channel).
        Out_grad: the gradient of the result, a tensor.
        oshape: the shape of the result.
        ishape: the shape of the data (batch, height, width, channels).
        stride, padding: those of the convolution.

    Returns:
        A tensor of the shape `ishape`.

    Example:
        >>> from lathe import te, topi
        >>> weight, grad = te.placeholder((3, 3, 4, 1)), te.placeholder((1, 8, 8, 4))
        >>> topi.nn.depthwise_conv2d_backward_input_nhwc(weight, grad, (1, 8, 8, 4), (1, 8, 8, 4), 1, 1).shape
        (1, 8, 8, 4)
    """
    shape = [_number(n) for n in ishape]
    zeros = relay.zeros(shape, Out_grad.dtype)  # the gradient does not depend on the data
    return of_tensors(lambda w, g: slope_of(lambda x, w: _depthwise(x, w, Filter.shape, stride, padding), [zeros, w], 0,
                                            g), Filter, Out_grad)


def depthwise_conv2d_backward_weight_nhwc(Input, Out_grad, oshape, fshape, stride, padding):
    """The gradient of `depthwise_conv2d_nhwc` with respect to its weights.

    Args:
        Input: a tensor (batch, height, width, channels).
        Out_grad: the gradient of the result, a tensor.
        oshape: the shape of the result.
        fshape: the shape of the weights (window height, window width, channels, results of each channel).
        stride, padding: those of the convolution.

    Returns:
        A tensor of the shape `fshape`.

    Example:
        >>> from lathe import te, topi
        >>> data, grad = te.placeholder((1, 8, 8, 4)), te.placeholder((1, 8, 8, 4))
        >>> topi.nn.depthwise_conv2d_backward_weight_nhwc(data, grad, (1, 8, 8, 4), (3, 3, 4, 1), 1, 1).shape
        (3, 3, 4, 1)
    """
    shape = [_number(n) for n in fshape]
    zeros = relay.zeros(shape, Out_grad.dtype)  # the gradient does not depend on the weights
    return of_tensors(lambda x, g: slope_of(lambda x, w: _depthwise(x, w, shape, stride, padding), [x, zeros], 1, g),
                      Input, Out_grad)


def _depthwise(x, w, weight, stride, padding):
    height, width, channels, times = (_number(n) for n in weight)
    flat = relay.reshape(w, (height, width, 1, channels * times))
    return relay.nn.conv2d(x, flat, strides=stride, padding=get_pad_tuple(padding, (height, width)), groups=channels,
                           channels=channels * times, kernel_size=(height, width), data_layout="NHWC",
                           kernel_layout="HWIO")


def softmax_common(x, axis, use_fast_exp):
    """`softmax`: its exponential function is a fast one already, so there is no second form.

    Args:
        x: a tensor.
        axis: the axis.
        use_fast_exp: without effect.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> topi.nn.softmax_common(te.placeholder((2, 3)), -1, True).shape
        (2, 3)
    """
    return _derive.apply("nn.softmax", [x], axis=axis)


def scale_shift_nchwc(Input, Scale, Shift):
    """Input * Scale + Shift, for each channel of images whose channels are in blocks.

    Args:
        Input: a tensor (batch, channels / c, height, width, c).
        Scale, Shift: tensors (channels / c, c).

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> scale, shift = te.placeholder((2, 4)), te.placeholder((2, 4))
        >>> topi.nn.scale_shift_nchwc(te.placeholder((1, 2, 8, 8, 4)), scale, shift).shape
        (1, 2, 8, 8, 4)
    """
    scale, shift = (_derive.apply("expand_dims", [x], axis=1, num_newaxis=2) for x in (Scale, Shift))
    return _derive.apply("add", [_derive.apply("multiply", [Input, scale]), shift])


def unpack_NCHWc_to_nchw(packed_out, out_dtype):
    """Images whose channels are in blocks, in the order NCHW.

    Args:
        packed_out: a tensor (batch, channels / c, height, width, c).
        out_dtype: the element type of the result.

    Returns:
        A tensor (batch, channels, height, width).

    Example:
        >>> from lathe import te, topi
        >>> topi.nn.unpack_NCHWc_to_nchw(te.placeholder((1, 2, 8, 8, 4)), "float32").shape
        (1, 8, 8, 8)
    """
    batch, blocks, height, width, lanes = packed_out.shape
    made = _derive.apply("transpose", [packed_out], axes=(0, 1, 4, 2, 3))
    made = _derive.apply("reshape", [made], newshape=(batch, blocks * lanes, height, width))
    return made if made.dtype == out_dtype else _derive.apply("cast", [made], dtype=out_dtype)


def upsampling3d(data, scale_d, scale_h, scale_w, layout="NCDHW", method="nearest_neighbor",
                 coordinate_transformation_mode="half_pixel", output_shape=None):
    """Volumes with more elements in each direction: `relay.nn.upsampling3d`.

    Args:
        data: a tensor of rank 5.
        scale_d, scale_h, scale_w: factors of depth, height and width.
        layout: the order of dimensions.
        method: "nearest_neighbor" or "trilinear".
        coordinate_transformation_mode: as of `relay.nn.upsampling3d`.
        output_shape: the shape of the result; its depth, height and width count instead of the factors. None: the
            factors count.

    Returns:
        A tensor.

    Raises:
        LatheError: `topi-argument`: `output_shape` does not have five extents, or another batch or channels; and those
            of `relay.nn.upsampling3d`.

    Example:
        >>> from lathe import te, topi
        >>> topi.nn.upsampling3d(te.placeholder((1, 3, 2, 4, 4)), 2, 2, 2).shape
        (1, 3, 4, 8, 8)
    """
    if output_shape is None:
        return of_tensors(lambda x: relay.nn.upsampling3d(x, scale_d, scale_h, scale_w, layout, method,
                                                          coordinate_transformation_mode), data)
    shape = plain_shape(output_shape)
    size = [shape[at] for at in map(layout.find, "DHW") if 0 <= at < len(shape)]
    kept = [at for at, axis in enumerate(layout) if axis not in "DHW"]
    if len(shape) != len(data.shape) or len(size) != 3 or any(shape[at] != data.shape[at] for at in kept):
        raise LatheValueError("the volumes cannot get this shape", "topi-argument",
                              f"expected: the extents of {tuple(data.shape)} but for depth, height and width\n"
                              f"found: {tuple(shape)}")
    return of_tensors(lambda x: resized_volumes(x, size, layout, method, coordinate_transformation_mode), data)
