"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.ir as _ir

def batch_matmul(tensor_a: Any, tensor_b: Any, oshape: Any = ..., out_dtype: Any = ..., transpose_a: Any = ..., transpose_b: Any = ...) -> _ir.Tensor:
    """A product of matrices for each batch. B is transposed unless it is said otherwise; a batch of 1 repeats.

    Args:
        tensor_a: a tensor. A [batch, i, k].
        tensor_b: a tensor. B [batch, k, j].
        oshape: any value. Without effect.
        out_dtype: the name of an element type. The type of sums and of the result; "": that of the inputs.
        transpose_a: a bool. Is A [..., k, i]?.
        transpose_b: a bool. Is B [..., j, k]?.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.nn.batch_matmul(tensor_a=te.placeholder((3, 4, 8)), tensor_b=te.placeholder((3, 5, 8)))
    """

def batch_norm(data: Any, gamma: Any, beta: Any, moving_mean: Any, moving_var: Any, axis: Any = ..., epsilon: Any = ..., center: Any = ..., scale: Any = ...) -> Any:
    """(data - mean) / sqrt(var + epsilon) gamma + beta, channel by channel, with the moving mean and variance of training [Ioffe, Szegedy, 2015]. Returns (result, mean, var).

    Args:
        data: a tensor. The input.
        gamma: a tensor. The scale [channels].
        beta: a tensor. The shift [channels].
        moving_mean: a tensor. [channels].
        moving_var: a tensor. [channels].
        axis: an int. The dimension of the channels.
        epsilon: a number. Added to the variance.
        center: a bool. Is beta added?.
        scale: a bool. Is gamma multiplied?.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.nn.batch_norm(data=te.placeholder((4, 3, 5)), gamma=te.placeholder((3,)), beta=te.placeholder((3,)), moving_mean=te.placeholder((3,)), moving_var=te.placeholder((3,)))
    """

def batch_to_space_nd(data: Any, block_shape: Any, crop_begin_list: Any, crop_end_list: Any) -> _ir.Tensor:
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

def bias_add(data: Any, bias: Any, axis: Any = ...) -> _ir.Tensor:
    """data + bias, with an element of the bias for each place along one dimension.

    Args:
        data: a tensor. The input.
        bias: a tensor. [extent of `axis`].
        axis: an int. The dimension of the bias.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.nn.bias_add(data=te.placeholder((4, 3, 5)), bias=te.placeholder((3,)))
    """

def dense(data: Any, weight: Any, bias: Any = ..., out_dtype: Any = ...) -> _ir.Tensor:
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

def depth_to_space(data: Any, block_size: Any, layout: Any = ..., mode: Any = ...) -> _ir.Tensor:
    """Channels become blocks of an image (ONNX): for NCHW, [n, c / block^2, h block, w block]. A channel's number is (i block + j) c / block^2 + k in mode "DCR", and k block^2 + i block + j in mode "CRD", for place (i, j) of a block.

    Args:
        data: a tensor. The image.
        block_size: an int. The edge of a block.
        layout: a str. Where the dimensions are.
        mode: a str. The order of the channels.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.nn.depth_to_space(data=te.placeholder((4, 8, 2, 3)), block_size=2)
    """

def dilate(data: Any, strides: Any, dilation_value: Any = ..., name: Any = ...) -> _ir.Tensor:
    """The elements of `data` moved apart, with `dilation_value` between them: (extent - 1) stride + 1 in each dimension.

    Args:
        data: a tensor. The input.
        strides: an int or a tuple of ints. The distance of neighbours, one for each dimension.
        dilation_value: a number. What stands between.
        name: text. The name of the stage.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.nn.dilate(data=te.placeholder((2, 3)), strides=(2, 3))
    """

def fast_softmax(x: Any, axis: Any = ...) -> _ir.Tensor:
    """e^(x - max) / sum of e^(x - max), along one dimension.

    Args:
        x: a tensor. The input.
        axis: an int. The dimension.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.nn.fast_softmax(x=te.placeholder((4, 7)))
    """

def flatten(data: Any) -> _ir.Tensor:
    """All dimensions but the first as one: [batch, the product of the others].

    Args:
        data: a tensor. The input.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.nn.flatten(data=te.placeholder((4, 3, 5)))
    """

def group_norm(data: Any, gamma: Any, beta: Any, num_groups: Any, axis: Any = ..., epsilon: Any = ...) -> _ir.Tensor:
    """(data - mean) / sqrt(variance + epsilon) gamma + beta, with mean and variance of each group of channels of each sample [Wu, He, 2018].

    Args:
        data: a tensor. The input [n, ...].
        gamma: a tensor. The scale [channels].
        beta: a tensor. The shift [channels].
        num_groups: an int. As many parts of the channels.
        axis: an int. The dimension of the channels; not the first.
        epsilon: a number. Added to the variance.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.nn.group_norm(data=te.placeholder((4, 4, 5)), gamma=te.placeholder((4,)), beta=te.placeholder((4,)), num_groups=2)
    """

def instance_norm(data: Any, gamma: Any, beta: Any, axis: Any = ..., epsilon: Any = ...) -> _ir.Tensor:
    """(data - mean) / sqrt(variance + epsilon) gamma + beta, with mean and variance of each channel of each sample [Ulyanov et al., 2016].

    Args:
        data: a tensor. The input [n, ...].
        gamma: a tensor. The scale [channels].
        beta: a tensor. The shift [channels].
        axis: an int. The dimension of the channels; not the first.
        epsilon: a number. Added to the variance.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.nn.instance_norm(data=te.placeholder((4, 4, 5)), gamma=te.placeholder((4,)), beta=te.placeholder((4,)))
    """

def layer_norm(data: Any, gamma: Any, beta: Any, axis: Any = ..., epsilon: Any = ...) -> _ir.Tensor:
    """(data - mean) / sqrt(variance + epsilon) gamma + beta, with mean and variance along the last dimension [Ba et al., 2016].

    Args:
        data: a tensor. The input.
        gamma: a tensor. The scale [last extent].
        beta: a tensor. The shift [last extent].
        axis: an int. The dimension; only the last one.
        epsilon: a number. Added to the variance.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.nn.layer_norm(data=te.placeholder((4, 8)), gamma=te.placeholder((8,)), beta=te.placeholder((8,)))
    """

def leaky_relu(x: Any, alpha: Any) -> _ir.Tensor:
    """x where x > 0, else alpha x.

    Args:
        x: a tensor. The input.
        alpha: a number. The slope below 0.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.nn.leaky_relu(x=te.placeholder((4, 7)), alpha=0.01)
    """

def log_softmax(x: Any, axis: Any = ...) -> _ir.Tensor:
    """x - max - ln(sum of e^(x - max)), along one dimension.

    Args:
        x: a tensor. The input.
        axis: an int. The dimension.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.nn.log_softmax(x=te.placeholder((4, 7)))
    """

def lrn(data: Any, size: Any, axis: Any = ..., alpha: Any = ..., beta: Any = ..., bias: Any = ...) -> _ir.Tensor:
    """data / (bias + alpha / size sum of data^2 over `size` neighbours along `axis`)^beta [Krizhevsky et al., 2012]. The neighbours of c are c - floor((size - 1) / 2) to c + ceil((size - 1) / 2) [ONNX's LRN].

    Args:
        data: a tensor. The input.
        size: an int. The number of neighbours, with the element itself.
        axis: an int. The dimension of the channels.
        alpha: a number. The factor of the sum.
        beta: a number. The exponent.
        bias: a number. Added to the sum.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.nn.lrn(data=te.placeholder((4, 7, 3)), size=5)
    """

def matmul(tensor_a: Any, tensor_b: Any, bias: Any = ..., out_dtype: Any = ..., transpose_a: Any = ..., transpose_b: Any = ...) -> _ir.Tensor:
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

def mirror_pad(data: Any, pad_before: Any, pad_after: Any = ..., mode: Any = ..., name: Any = ...) -> _ir.Tensor:
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

def nll_loss(predictions: Any, targets: Any, weights: Any, reduction: Any = ..., ignore_index: Any = ...) -> _ir.Tensor:
    """-weights[t] predictions[n, t, ...] for the target t at [n, ...]; targets that are `ignore_index` count nothing. The mean divides by the sum of the weights [PyTorch's NLLLoss].

    Args:
        predictions: a tensor. Log-probabilities [n, classes, ...].
        targets: a tensor. Classes [n, ...].
        weights: a tensor. The weight of each class [classes].
        reduction: a str. The mean of all losses, their sum, or each of them.
        ignore_index: an int. The target that is ignored.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.nn.nll_loss(predictions=te.placeholder((4, 6)), targets=te.placeholder((4,), "int32"), weights=te.placeholder((6,)))
    """

def pad(data: Any, pad_before: Any, pad_after: Any = ..., pad_value: Any = ..., name: Any = ..., attrs: Any = ...) -> _ir.Tensor:
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

def prelu(x: Any, slope: Any, axis: Any = ...) -> _ir.Tensor:
    """x where x > 0, else alpha x, with an alpha for each channel [He et al., Delving Deep into Rectifiers, 2015].

    Args:
        x: a tensor. The input.
        slope: a tensor. The slopes [channels].
        axis: an int. The dimension of the channels.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.nn.prelu(x=te.placeholder((4, 3, 5)), slope=te.placeholder((3,)))
    """

def relu(x: Any) -> _ir.Tensor:
    """max(x, 0).

    Args:
        x: a tensor. The input.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.nn.relu(x=te.placeholder((4, 7)))
    """

def scale_shift_nchw(Input: Any, Scale: Any, Shift: Any) -> _ir.Tensor:
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

def scale_shift_nhwc(Input: Any, Scale: Any, Shift: Any) -> _ir.Tensor:
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

def softmax(x: Any, axis: Any = ...) -> _ir.Tensor:
    """e^(x - max) / sum of e^(x - max), along one dimension.

    Args:
        x: a tensor. The input.
        axis: an int. The dimension.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.nn.softmax(x=te.placeholder((4, 7)))
    """

def space_to_batch_nd(data: Any, block_shape: Any, pad_before: Any, pad_after: Any, pad_value: Any = ...) -> _ir.Tensor:
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

def space_to_depth(data: Any, block_size: Any, layout: Any = ...) -> _ir.Tensor:
    """Blocks of an image become channels (ONNX): for NCHW, [n, block^2 c, h / block, w / block] with y[n, (i block + j) c + k, y, x] = data[n, k, y block + i, x block + j].

    Args:
        data: a tensor. The image.
        block_size: an int. The edge of a block.
        layout: a str. Where the dimensions are.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.nn.space_to_depth(data=te.placeholder((4, 3, 4, 6)), block_size=2)
    """

def upsampling(data: Any, scale_h: Any, scale_w: Any, layout: Any = ..., method: Any = ..., align_corners: Any = ..., output_shape: Any = ...) -> _ir.Tensor:
    """An image whose height and width are multiplied; extents are rounded. A composition of image.resize2d, with the places of align_corners or of asymmetric, as Relay has it.

    Args:
        data: a tensor. The image, in `layout`.
        scale_h: a number. The factor of the height.
        scale_w: a number. The factor of the width.
        layout: a str. The dimensions of `data`.
        method: a str. How elements are found.
        align_corners: a bool. Do the corners stay where they are?.
        output_shape: any value. Without effect.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.nn.upsampling(data=te.placeholder((4, 3, 4, 5)), scale_h=2.0, scale_w=1.5)
    """
