"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.ir as _ir
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError
from lathe.topi.nn.utils import get_pad_tuple_generic as get_pad_tuple_generic

def conv1d(data: Any, kernel: Any, strides: Any = ..., padding: Any = ..., dilation: Any = ..., layout: Any = ..., out_dtype: Any = ...) -> _ir.Tensor:
    """A convolution of data in the order NCW.

    Args:
        data: a tensor NCW.
        kernel: a tensor OIW.
        strides: elements from one window to the next: one number, or one for each dimension.
        padding: zeros around the data: numbers, "SAME" or "VALID".
        dilation: distance of a window's elements.
        layout: the order of the data's dimensions.
        out_dtype: the element type of sums and result.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.nn.conv1d(te.placeholder((1, 4, 8)), te.placeholder((6, 4, 3)))
    """

def conv1d_ncw(data: Any, kernel: Any, strides: Any = ..., padding: Any = ..., dilation: Any = ..., out_dtype: Any = ...) -> _ir.Tensor:
    """A convolution of data in the order NCW.

    Args:
        data: a tensor NCW.
        kernel: a tensor OIW.
        strides: elements from one window to the next: one number, or one for each dimension.
        padding: zeros around the data: numbers, "SAME" or "VALID".
        dilation: distance of a window's elements.
        out_dtype: the element type of sums and result.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.nn.conv1d_ncw(te.placeholder((1, 4, 8)), te.placeholder((6, 4, 3)))
    """

def conv1d_nwc(data: Any, kernel: Any, strides: Any = ..., padding: Any = ..., dilation: Any = ..., out_dtype: Any = ...) -> _ir.Tensor:
    """A convolution of data in the order NWC.

    Args:
        data: a tensor NWC.
        kernel: a tensor WIO.
        strides: elements from one window to the next: one number, or one for each dimension.
        padding: zeros around the data: numbers, "SAME" or "VALID".
        dilation: distance of a window's elements.
        out_dtype: the element type of sums and result.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.nn.conv1d_nwc(te.placeholder((1, 8, 4)), te.placeholder((3, 4, 6)))
    """

def conv1d_transpose_ncw(data: Any, kernel: Any, stride: Any, padding: Any, out_dtype: Any, output_padding: Any) -> _ir.Tensor:
    """The transposed convolution, which makes the data longer.

    Args:
        data: a tensor (batch, channels, width).
        kernel: a tensor (channels, out, window).
        stride, padding, out_dtype: those of the convolution that this is the transposed one of.
        output_padding: elements added at the end of the result.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> topi.nn.conv1d_transpose_ncw(
        ...     te.placeholder((1, 4, 8)), te.placeholder((4, 2, 4)), 2, 1, "float32", 0).shape
        (1, 2, 16)
    """

def conv2d(input: Any, filter: Any, strides: Any, padding: Any, dilation: Any, layout: Any = ..., out_dtype: Any = ...) -> _ir.Tensor:
    """A convolution of data in the order NCHW.

    Args:
        input: a tensor NCHW.
        filter: a tensor OIHW.
        strides: elements from one window to the next: one number, or one for each dimension.
        padding: zeros around the data: numbers, "SAME" or "VALID".
        dilation: distance of a window's elements.
        layout: the order of the data's dimensions.
        out_dtype: the element type of sums and result.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.nn.conv2d(te.placeholder((1, 4, 8, 8)), te.placeholder((6, 4, 3, 3)), 1, 1, 1)
    """

def conv2d_NCHWc(data: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, layout: Any = ..., out_layout: Any = ..., out_dtype: Any = ...) -> _ir.Tensor:
    """A convolution over images whose channels are in blocks.

    Args:
        data: a tensor (batch, channels / c, height, width, c).
        kernel: a tensor (out / b, channels / c, window height, window width, c, b).
        stride, padding, dilation: as for `conv2d_nchw`.
        layout, out_layout, out_dtype: without effect: the operands say them.

    Returns:
        A tensor (batch, out / b, out height, out width, b).

    Example:
        >>> from lathe import te, topi
        >>> data, kernel = te.placeholder((1, 4, 56, 56, 16)), te.placeholder((8, 4, 3, 3, 16, 16))
        >>> topi.nn.conv2d_NCHWc(data, kernel, 2, 1, 1).shape
        (1, 8, 28, 28, 16)
    """

def conv2d_hwcn(Input: Any, Filter: Any, stride: Any, padding: Any, dilation: Any, out_dtype: Any = ...) -> _ir.Tensor:
    """A convolution of data in the order HWCN.

    Args:
        Input: a tensor HWCN.
        Filter: a tensor HWIO.
        stride: elements from one window to the next: one number, or one for each dimension.
        padding: zeros around the data: numbers, "SAME" or "VALID".
        dilation: distance of a window's elements.
        out_dtype: the element type of sums and result.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.nn.conv2d_hwcn(te.placeholder((8, 8, 4, 1)), te.placeholder((3, 3, 4, 6)), 1, 1, 1)
    """

def conv2d_nchw(Input: Any, Filter: Any, stride: Any, padding: Any, dilation: Any, out_dtype: Any = ...) -> _ir.Tensor:
    """A convolution of data in the order NCHW.

    Args:
        Input: a tensor NCHW.
        Filter: a tensor OIHW.
        stride: elements from one window to the next: one number, or one for each dimension.
        padding: zeros around the data: numbers, "SAME" or "VALID".
        dilation: distance of a window's elements.
        out_dtype: the element type of sums and result.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.nn.conv2d_nchw(te.placeholder((1, 4, 8, 8)), te.placeholder((6, 4, 3, 3)), 1, 1, 1)
    """

def conv2d_nhwc(Input: Any, Filter: Any, stride: Any, padding: Any, dilation: Any, out_dtype: Any = ...) -> _ir.Tensor:
    """A convolution of data in the order NHWC.

    Args:
        Input: a tensor NHWC.
        Filter: a tensor HWIO.
        stride: elements from one window to the next: one number, or one for each dimension.
        padding: zeros around the data: numbers, "SAME" or "VALID".
        dilation: distance of a window's elements.
        out_dtype: the element type of sums and result.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.nn.conv2d_nhwc(te.placeholder((1, 8, 8, 4)), te.placeholder((3, 3, 4, 6)), 1, 1, 1)
    """

def conv2d_transpose_nchw(Input: Any, Filter: Any, strides: Any, padding: Any, out_dtype: Any, output_padding: Any) -> _ir.Tensor:
    """The transposed convolution, which makes images larger.

    Args:
        Input: a tensor (batch, channels, height, width).
        Filter: a tensor (channels, out, window height, window width).
        strides, padding, out_dtype: those of the convolution that this is the transposed one of.
        output_padding: rows and columns added at the end of the result.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> data, kernel = te.placeholder((1, 4, 8, 8)), te.placeholder((4, 2, 4, 4))
        >>> topi.nn.conv2d_transpose_nchw(data, kernel, 2, 1, "float32", 0).shape
        (1, 2, 16, 16)
    """

def conv3d_ncdhw(Input: Any, Filter: Any, stride: Any, padding: Any, dilation: Any, groups: Any = ..., out_dtype: Any = ...) -> _ir.Tensor:
    """A convolution of data in the order NCDHW.

    Args:
        Input: a tensor NCDHW.
        Filter: a tensor OIDHW.
        stride: elements from one window to the next: one number, or one for each dimension.
        padding: zeros around the data: numbers, "SAME" or "VALID".
        dilation: distance of a window's elements.
        groups: groups of channels that are convolved separately.
        out_dtype: the element type of sums and result.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.nn.conv3d_ncdhw(te.placeholder((1, 4, 8, 8, 8)), te.placeholder((6, 4, 3, 3, 3)), 1, 1, 1)
    """

def conv3d_ndhwc(Input: Any, Filter: Any, stride: Any, padding: Any, dilation: Any, groups: Any = ..., out_dtype: Any = ...) -> _ir.Tensor:
    """A convolution of data in the order NDHWC.

    Args:
        Input: a tensor NDHWC.
        Filter: a tensor DHWIO.
        stride: elements from one window to the next: one number, or one for each dimension.
        padding: zeros around the data: numbers, "SAME" or "VALID".
        dilation: distance of a window's elements.
        groups: groups of channels that are convolved separately.
        out_dtype: the element type of sums and result.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.nn.conv3d_ndhwc(te.placeholder((1, 8, 8, 8, 4)), te.placeholder((3, 3, 3, 4, 6)), 1, 1, 1)
    """

def conv3d_transpose_ncdhw(Input: Any, Filter: Any, strides: Any, padding: Any, out_dtype: Any, output_padding: Any) -> _ir.Tensor:
    """The transposed convolution of volumes.

    Args:
        Input: a tensor (batch, channels, depth, height, width).
        Filter: a tensor (channels, out, window depth, window height, window width).
        strides, padding, out_dtype, output_padding: as for `conv2d_transpose_nchw`.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> data, kernel = te.placeholder((1, 2, 4, 4, 4)), te.placeholder((2, 3, 2, 2, 2))
        >>> topi.nn.conv3d_transpose_ncdhw(data, kernel, 2, 0, "float32", 0).shape
        (1, 3, 8, 8, 8)
    """

def depthwise_conv2d_NCHWc(Input: Any, Filter: Any, stride: Any, padding: Any, dilation: Any, layout: Any = ..., out_layout: Any = ..., out_dtype: Any = ...) -> _ir.Tensor:
    """A convolution of each channel alone, over images whose channels are in blocks.

    Args:
        Input: a tensor (batch, channels / c, height, width, c).
        Filter: a tensor (channels / c, 1, window height, window width, 1, c).
        stride, padding, dilation: as for `conv2d_nchw`.
        layout, out_layout, out_dtype: without effect: the operands say them.

    Returns:
        A tensor (batch, channels / c, out height, out width, c).

    Example:
        >>> from lathe import te, topi
        >>> data, kernel = te.placeholder((1, 2, 14, 14, 16)), te.placeholder((2, 1, 3, 3, 1, 16))
        >>> topi.nn.depthwise_conv2d_NCHWc(data, kernel, 1, 1, 1).shape
        (1, 2, 14, 14, 16)
    """

def depthwise_conv2d_nchw(Input: Any, Filter: Any, stride: Any, padding: Any, dilation: Any, out_dtype: Any = ...) -> _ir.Tensor:
    """A convolution of each channel alone.

    Args:
        Input: a tensor (batch, channels, height, width).
        Filter: a tensor (channels, results of each channel, window height, window width).
        stride, padding, dilation, out_dtype: as for `conv2d_nchw`.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> topi.nn.depthwise_conv2d_nchw(
        ...     te.placeholder((1, 4, 8, 8)), te.placeholder((4, 1, 3, 3)), 1, 1, 1).shape
        (1, 4, 8, 8)
    """

def depthwise_conv2d_nhwc(Input: Any, Filter: Any, stride: Any, padding: Any, dilation: Any, out_dtype: Any = ...) -> _ir.Tensor:
    """A convolution of each channel alone.

    Args:
        Input: a tensor (batch, height, width, channels).
        Filter: a tensor (window height, window width, channels, results of each channel).
        stride, padding, dilation, out_dtype: as for `conv2d_nhwc`.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> topi.nn.depthwise_conv2d_nhwc(
        ...     te.placeholder((1, 8, 8, 4)), te.placeholder((3, 3, 4, 2)), 1, 1, 1).shape
        (1, 8, 8, 8)
    """

def group_conv1d_ncw(data: Any, kernel: Any, strides: Any = ..., padding: Any = ..., dilation: Any = ..., groups: Any = ..., out_dtype: Any = ...) -> _ir.Tensor:
    """A convolution of data in the order NCW.

    Args:
        data: a tensor NCW.
        kernel: a tensor OIW.
        strides: elements from one window to the next: one number, or one for each dimension.
        padding: zeros around the data: numbers, "SAME" or "VALID".
        dilation: distance of a window's elements.
        groups: groups of channels that are convolved separately.
        out_dtype: the element type of sums and result.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.nn.group_conv1d_ncw(te.placeholder((1, 4, 8)), te.placeholder((6, 4, 3)))
    """

def group_conv1d_nwc(data: Any, kernel: Any, strides: Any = ..., padding: Any = ..., dilation: Any = ..., groups: Any = ..., out_dtype: Any = ...) -> _ir.Tensor:
    """A convolution of data in the order NWC.

    Args:
        data: a tensor NWC.
        kernel: a tensor WIO.
        strides: elements from one window to the next: one number, or one for each dimension.
        padding: zeros around the data: numbers, "SAME" or "VALID".
        dilation: distance of a window's elements.
        groups: groups of channels that are convolved separately.
        out_dtype: the element type of sums and result.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.nn.group_conv1d_nwc(te.placeholder((1, 8, 4)), te.placeholder((3, 4, 6)))
    """

def group_conv2d_nchw(Input: Any, Filter: Any, stride: Any, padding: Any, dilation: Any, groups: Any, out_dtype: Any = ...) -> _ir.Tensor:
    """A convolution of data in the order NCHW.

    Args:
        Input: a tensor NCHW.
        Filter: a tensor OIHW.
        stride: elements from one window to the next: one number, or one for each dimension.
        padding: zeros around the data: numbers, "SAME" or "VALID".
        dilation: distance of a window's elements.
        groups: groups of channels that are convolved separately.
        out_dtype: the element type of sums and result.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.nn.group_conv2d_nchw(te.placeholder((1, 4, 8, 8)), te.placeholder((6, 4, 3, 3)), 1, 1, 1, 1)
    """

def group_conv2d_nhwc(Input: Any, Filter: Any, stride: Any, padding: Any, dilation: Any, groups: Any, out_dtype: Any = ...) -> _ir.Tensor:
    """A convolution of data in the order NHWC.

    Args:
        Input: a tensor NHWC.
        Filter: a tensor HWIO.
        stride: elements from one window to the next: one number, or one for each dimension.
        padding: zeros around the data: numbers, "SAME" or "VALID".
        dilation: distance of a window's elements.
        groups: groups of channels that are convolved separately.
        out_dtype: the element type of sums and result.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.nn.group_conv2d_nhwc(te.placeholder((1, 8, 8, 4)), te.placeholder((3, 3, 4, 6)), 1, 1, 1, 1)
    """

def group_conv2d_transpose_nchw(data: Any, kernel: Any, stride: Any, padding: Any, out_dtype: Any, output_padding: Any, groups: Any) -> _ir.Tensor:
    """`conv2d_transpose_nchw` of groups of channels.

    Args:
        data, kernel, stride, padding, out_dtype, output_padding: as for `conv2d_transpose_nchw`;
            `kernel` has the results of one group.
        groups: the number of groups.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> data, kernel = te.placeholder((1, 4, 8, 8)), te.placeholder((4, 2, 4, 4))
        >>> topi.nn.group_conv2d_transpose_nchw(data, kernel, 2, 1, "float32", 0, 2).shape
        (1, 4, 16, 16)
    """
