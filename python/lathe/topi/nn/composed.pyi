"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError
from lathe.topi.nn.utils import get_pad_tuple as get_pad_tuple
from lathe.topi._from_relay import of_tensors as of_tensors
from lathe.relay._composed_parts import plain_shape as plain_shape
from lathe import relay as relay
from lathe.relay._composed_nn import resized_volumes as resized_volumes
from lathe.relay._composed_windows import slope_of as slope_of
from lathe.topi._from_relay import that_reads as that_reads

def conv2d_NCHWc_int8(data: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, layout: Any = ..., out_layout: Any = ..., out_dtype: Any = ..., n_elems: Any = ...) -> Any:
    """nn.conv2d of 8-bit integers with channels in blocks: the result is int32 [batch, O / o, rows, columns, o]. Four channels of the kernel lie side by side.

    Args:
        data: a tensor. [batch, C / c, height, width, c], c a multiple of 4.
        kernel: a tensor. [O / o, C / c, window height, window width, c / 4, o, 4].
        stride: an int or a tuple of ints. How far the window moves.
        padding: an int or a tuple of ints. The frame around the input, as for nn.conv2d.
        dilation: an int or a tuple of ints. The distance of the window's elements.
        layout: any value. Without effect.
        out_layout: any value. Without effect.
        out_dtype: any value. Without effect.
        n_elems: any value. Without effect.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.nn.conv2d_NCHWc_int8(data=te.placeholder((4, 2, 9, 7, 8), "uint8"), kernel=te.placeholder((3, 2, 3, 3, 2, 8, 4), "int8"), stride=(1, 1), padding=(0, 0), dilation=(1, 1))
    """

def correlation_nchw(data1: Any, data2: Any, kernel_size: Any, max_displacement: Any, stride1: Any, stride2: Any, padding: Any, is_multiply: Any) -> Any:
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

def deformable_conv2d_nchw(data: Any, offset: Any, kernel: Any, strides: Any, padding: Any, dilation: Any, deformable_groups: Any, groups: Any, out_dtype: Any) -> Any:
    """A convolution whose taps are moved by offsets, between elements by linear interpolation [Dai et al., 2017], and weighted by a mask [Zhu et al., 2019]. Tap t of deformable group g has the offsets 2 (g taps + t) for y and the next one for x.

    Args:
        data: a tensor. The input [n, channels, height, width].
        offset: a tensor. How far taps are moved [n, 2 groups taps, rows, columns].
        kernel: a tensor. The filters OIHW.
        strides: an int or a tuple of ints. How far the window moves.
        padding: an int or a tuple of ints. Zeros around the input: one number, one for each dimension, or all before and then all after.
        dilation: an int or a tuple of ints. The distance of the window's elements.
        deformable_groups: an int. The channels of each have offsets of their own.
        groups: an int. Channels are split into as many parts, with filters of their own.
        out_dtype: the name of an element type. The type of the result; "": that of `data`.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.nn.deformable_conv2d_nchw(data=te.placeholder((4, 4, 6, 5)), offset=te.placeholder((4, 12, 5, 3)), kernel=te.placeholder((3, 4, 2, 3)), strides=(1, 1), padding=(0, 0), dilation=(1, 1), deformable_groups=1, groups=1, out_dtype='')
    """

def deformable_conv2d_nhwc(data: Any, offset: Any, kernel: Any, strides: Any, padding: Any, dilation: Any, deformable_groups: Any, groups: Any, out_dtype: Any) -> Any:
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

def dense_pack(data: Any, weight: Any, bias: Any = ..., out_dtype: Any = ...) -> Any:
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

def depthwise_conv2d_backward_input_nhwc(Filter: Any, Out_grad: Any, oshape: Any, ishape: Any, stride: Any, padding: Any) -> Any:
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

def depthwise_conv2d_backward_weight_nhwc(Input: Any, Out_grad: Any, oshape: Any, fshape: Any, stride: Any, padding: Any) -> Any:
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

def fifo_buffer(data: Any, buffer: Any, axis: Any) -> Any:
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

def pool_grad(grads: Any, data: Any, kernel: Any, stride: Any, padding: Any, pool_type: Any, ceil_mode: Any = ..., layout: Any = ..., count_include_pad: Any = ...) -> Any:
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

def scale_shift_nchwc(Input: Any, Scale: Any, Shift: Any) -> Any:
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

def softmax_common(x: Any, axis: Any, use_fast_exp: Any) -> Any:
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

def unpack_NCHWc_to_nchw(packed_out: Any, out_dtype: Any) -> Any:
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

def upsampling3d(data: Any, scale_d: Any, scale_h: Any, scale_w: Any, layout: Any = ..., method: Any = ..., coordinate_transformation_mode: Any = ..., output_shape: Any = ...) -> Any:
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
