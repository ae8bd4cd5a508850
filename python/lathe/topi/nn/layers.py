"""Activations, products, normalizations, padding."""

from .. import _derive

_derive.install(globals(), {
    "relu(x:data)": "nn.relu",
    "leaky_relu(x:data, alpha)": "nn.leaky_relu",
    "prelu(x:data, slope:alpha, axis=1)": "nn.prelu",
    "softmax(x:data, axis=-1)": "nn.softmax",
    "fast_softmax(x:data, axis=-1)": "nn.softmax",
    "log_softmax(x:data, axis=-1)": "nn.log_softmax",
    "flatten(data)": "nn.batch_flatten",
    "lrn(data, size, axis=1, alpha=0.0001, beta=0.75, bias=2.0)": "nn.lrn",
    "batch_norm(data, gamma, beta, moving_mean, moving_var, axis=None, epsilon=None, center=None, "
    "scale=None)": "nn.batch_norm",
    "instance_norm(data, gamma, beta, axis=1, epsilon=1e-05)": "nn.instance_norm",
    "layer_norm(data, gamma, beta, axis=-1, epsilon=1e-05)": "nn.layer_norm",
    "group_norm(data, gamma, beta, num_groups, axis=1, epsilon=1e-05)": "nn.group_norm",
    "dilate(data, strides, dilation_value=0.0, name='DilatedInput')": "nn.dilate",
    "upsampling(data, scale_h, scale_w, layout='NCHW', method='nearest_neighbor', "
    "align_corners=False, output_shape:_=None)": "nn.upsampling",
    "depth_to_space(data, block_size, layout='NCHW', mode='DCR')": "nn.depth_to_space",
    "space_to_depth(data, block_size, layout='NCHW')": "nn.space_to_depth",
    "nll_loss(predictions, targets, weights, reduction='mean', ignore_index=-100)": "nn.nll_loss",
    "bias_add(data, bias, axis=1)": "nn.bias_add",
    "batch_matmul(tensor_a, tensor_b, oshape:_=None, out_dtype=None, transpose_a=False, "
    "transpose_b=True)": "nn.batch_matmul",
})


def pad(data, pad_before, pad_after=None, pad_value=0.0, name="PadInput", attrs=None):
    """Data with a border of one value.

    Args:
        data: a tensor.
        pad_before: the elements before the data, for each dimension.
        pad_after: the elements behind it; by default as many.
        pad_value: a number or an expression, which is part of the stage, or a tensor of rank 0.
        name: the stage's name.
        attrs: without effect.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> topi.nn.pad(te.placeholder((2, 3)), (0, 1), (2, 1)).shape
        (4, 5)
    """
    after = pad_before if pad_after is None else pad_after
    value = _derive.as_tensor(pad_value, data.dtype)
    return _derive.apply("nn.pad", [data, value], name, pad_width=list(zip(pad_before, after)))


def mirror_pad(data, pad_before, pad_after=None, mode="SYMMETRIC", name="MirrorPadInput"):
    """Data with a border that mirrors it.

    Args:
        data: a tensor.
        pad_before: the elements before the data, for each dimension.
        pad_after: the elements behind it; by default as many.
        mode: "SYMMETRIC" (the last element twice) or "REFLECT".
        name: the stage's name.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> topi.nn.mirror_pad(te.placeholder((2, 3)), (0, 1), (1, 1)).shape
        (3, 5)
    """
    after = pad_before if pad_after is None else pad_after
    return _derive.apply("nn.mirror_pad", [data], name, pad_width=list(zip(pad_before, after)), mode=mode)


def dense(data, weight, bias=None, out_dtype=None):
    """data times the transposed weight, plus bias.

    Args:
        data: a tensor (rows, depth).
        weight: a tensor (columns, depth).
        bias: a tensor (columns,), or None.
        out_dtype: the element type of the sums and the result.

    Returns:
        A tensor (rows, columns).

    Example:
        >>> from lathe import te, topi
        >>> topi.nn.dense(te.placeholder((2, 8)), te.placeholder((4, 8)), te.placeholder((4,))).shape
        (2, 4)
    """
    made = _derive.apply("nn.dense", [data, weight], out_dtype=out_dtype or None)
    return made if bias is None else _derive.apply("nn.bias_add", [made, bias], axis=-1)


def matmul(tensor_a, tensor_b, bias=None, out_dtype=None, transpose_a=False, transpose_b=False):
    """The product of two matrices, plus bias.

    Args:
        tensor_a, tensor_b: tensors of rank 2.
        bias: a tensor (columns,), or None.
        out_dtype: the element type of the sums and the result.
        transpose_a, transpose_b: the operand is transposed.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> a, b = te.placeholder((2, 8)), te.placeholder((4, 8))
        >>> topi.nn.matmul(a, b, transpose_b=True).shape
        (2, 4)
    """
    made = _derive.apply("nn.matmul", [tensor_a, tensor_b], out_dtype=out_dtype or None,
                         transpose_a=transpose_a, transpose_b=transpose_b)
    return made if bias is None else _derive.apply("nn.bias_add", [made, bias], axis=-1)


def scale_shift_nchw(Input, Scale, Shift):
    """Input * Scale + Shift, for each channel.

    Args:
        Input: a tensor (batch, channels, height, width).
        Scale, Shift: tensors (channels,).

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> scale, shift = te.placeholder((4,)), te.placeholder((4,))
        >>> topi.nn.scale_shift_nchw(te.placeholder((1, 4, 8, 8)), scale, shift).shape
        (1, 4, 8, 8)
    """
    scale, shift = (_derive.apply("expand_dims", [x], axis=1, num_newaxis=2)
                    for x in (Scale, Shift))
    return _derive.apply("add", [_derive.apply("multiply", [Input, scale]), shift])


def scale_shift_nhwc(Input, Scale, Shift):
    """Input * Scale + Shift, for each channel.

    Args:
        Input: a tensor (batch, height, width, channels).
        Scale, Shift: tensors (channels,).

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> scale, shift = te.placeholder((4,)), te.placeholder((4,))
        >>> topi.nn.scale_shift_nhwc(te.placeholder((1, 8, 8, 4)), scale, shift).shape
        (1, 8, 8, 4)
    """
    return _derive.apply("add", [_derive.apply("multiply", [Input, Scale]), Shift])


def space_to_batch_nd(data, block_shape, pad_before, pad_after, pad_value=0.0):
    """Blocks of space become batches.

    Args:
        data: a tensor (batch, space..., rest...).
        block_shape: the extents of a block.
        pad_before, pad_after: elements around the space.
        pad_value: their value.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> topi.nn.space_to_batch_nd(te.placeholder((1, 4, 4, 3)), (2, 2), (0, 0), (0, 0)).shape
        (4, 2, 2, 3)
    """
    return _derive.apply("nn.space_to_batch_nd", [data], block_shape=block_shape,
                         paddings=list(zip(pad_before, pad_after)), pad_value=pad_value)


def batch_to_space_nd(data, block_shape, crop_begin_list, crop_end_list):
    """The reverse of `space_to_batch_nd`.

    Args:
        data: a tensor (batch, space..., rest...).
        block_shape: the extents of a block.
        crop_begin_list, crop_end_list: elements that are cut off.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> topi.nn.batch_to_space_nd(te.placeholder((4, 2, 2, 3)), (2, 2), (0, 0), (0, 0)).shape
        (1, 4, 4, 3)
    """
    return _derive.apply("nn.batch_to_space_nd", [data], block_shape=block_shape,
                         crops=list(zip(crop_begin_list, crop_end_list)))
