"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.ir as _ir
from lathe.topi._from_relay import of_tensors as of_tensors
from lathe import relay as relay

def affine_grid(data: Any, target_shape: Any) -> _ir.Tensor:
    """A grid for image.grid_sample: A (x, y, 1) for each place of the result, with x and y from -1 to 1 [Jaderberg et al., 2015]. A dimension of one place is at 0, as in PyTorch.

    Args:
        data: a tensor. A matrix A for each image [n, 2, 3].
        target_shape: a tuple of extents: ints, or expressions over sizes. Height and width of the grid.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.image.affine_grid(data=te.placeholder((4, 2, 3)), target_shape=(4, 5))
    """

def crop_and_resize(data: Any, boxes: Any, box_indices: Any, crop_size: Any, layout: Any = ..., method: Any = ..., extrapolation_value: Any = ..., out_dtype: Any = ...) -> _ir.Tensor:
    """Boxes of images, resized to one size [TensorFlow's crop_and_resize]. Place i of m comes from y1 (n - 1) + i (y2 - y1) (n - 1) / (m - 1), or from the middle if m is 1.

    Args:
        data: a tensor. Images, in `layout`.
        boxes: a tensor. (y1, x1, y2, x2) of each box, as shares of the image [k, 4].
        box_indices: a tensor. The image of each box [k].
        crop_size: a tuple of extents: ints, or expressions over sizes. Height and width of the results.
        layout: a str. The dimensions of `data`.
        method: a str. How elements are found.
        extrapolation_value: a number. For places outside of the image.
        out_dtype: the name of an element type. The type of the result; "": as `data`.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.image.crop_and_resize(data=te.placeholder((2, 3, 5, 6)), boxes=te.placeholder((4, 4)), box_indices=te.placeholder((4,), "int32"), crop_size=(3, 4), method='nearest_neighbor', extrapolation_value=3.0)
    """

def dilation2d_nchw(input: Any, filter: Any, stride: Any, padding: Any, dilations: Any, out_dtype: Any = ...) -> _ir.Tensor:
    """The grayscale dilation of images: the largest sum of a window's elements and the filter's.

    Args:
        input: a tensor (batch, channels, height, width).
        filter: a tensor (channels, window height, window width).
        stride, padding, dilations, out_dtype: as of `relay.image.dilation2d`.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> topi.image.dilation2d_nchw(te.placeholder((1, 2, 8, 8)), te.placeholder((2, 3, 3)), 2, 1, 1).shape
        (1, 2, 4, 4)
    """

def dilation2d_nhwc(input: Any, filter: Any, stride: Any, padding: Any, dilations: Any, out_dtype: Any = ...) -> _ir.Tensor:
    """`dilation2d_nchw` of images whose channels come last.

    Args:
        input: a tensor (batch, height, width, channels).
        filter: a tensor (window height, window width, channels).
        stride, padding, dilations, out_dtype: as of `relay.image.dilation2d`.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> topi.image.dilation2d_nhwc(te.placeholder((1, 8, 8, 2)), te.placeholder((3, 3, 2)), 2, 1, 1).shape
        (1, 4, 4, 2)
    """

def grid_sample(data: Any, grid: Any, method: Any = ..., layout: Any = ..., padding_mode: Any = ..., align_corners: Any = ...) -> _ir.Tensor:
    """Elements at the places of a grid, in which -1 and 1 are the borders of the image: with align_corners the centres of the outermost elements, else their outer edges. The rules are PyTorch's grid_sample; the grid is as in Relay.

    Args:
        data: a tensor. The image, in `layout`.
        grid: a tensor. (x, y) or (x, y, z) of each place [n, 2 or 3, ...].
        method: a str. How elements are found; bicubic with alpha = -0.75, for NCHW only.
        layout: a str. The dimensions of `data`.
        padding_mode: a str. What is outside: zeros, the nearest element, or the image mirrored.
        align_corners: a bool. Are -1 and 1 centres of elements?.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.image.grid_sample(data=te.placeholder((4, 2, 5, 6)), grid=te.placeholder((4, 2, 3, 4)))
    """

def resize1d(data: Any, roi: Any, size: Any, layout: Any = ..., method: Any = ..., coordinate_transformation_mode: Any = ..., rounding_method: Any = ..., bicubic_alpha: Any = ..., bicubic_exclude: Any = ..., extrapolation_value: Any = ..., out_dtype: Any = ..., output_shape: Any = ...) -> _ir.Tensor:
    """An image of another size [ONNX's Resize]. Place i of m comes from the place x of n: half_pixel (i + 0.5) n / m - 0.5; align_corners i (n - 1) / (m - 1); asymmetric i n / m; pytorch_half_pixel as half_pixel, but 0 if m is 1; tf_half_pixel_for_nn (i + 0.5) n / m; tf_crop_and_resize a part of the image, with start and end between 0 and 1. Places outside have the nearest element of the image. Integers are rounded.

    Args:
        data: a tensor. The image, in `layout`.
        roi: a tensor. For tf_crop_and_resize: the start of each dimension, and then the end of each.
        size: a tuple of extents: ints, or expressions over sizes. The new extents.
        layout: a str. The dimensions of `data`.
        method: a str. How elements are found.
        coordinate_transformation_mode: a str. The rule of places.
        rounding_method: a str. Which element is nearest; "": round with align_corners, else floor. `round` rounds halves up.
        bicubic_alpha: a number. The coefficient of cubic interpolation.
        bicubic_exclude: an int. 1: elements outside have no weight in cubic interpolation, and the other weights are scaled to the sum 1.
        extrapolation_value: a number. For places outside, with tf_crop_and_resize.
        out_dtype: the name of an element type. The type of the result; "": as `data`.
        output_shape: any value. Without effect.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.image.resize1d(data=te.placeholder((4, 3, 7)), roi=None, size=(5,), method='nearest_neighbor')
    """

def resize2d(data: Any, roi: Any, size: Any, layout: Any = ..., method: Any = ..., coordinate_transformation_mode: Any = ..., rounding_method: Any = ..., bicubic_alpha: Any = ..., bicubic_exclude: Any = ..., extrapolation_value: Any = ..., out_dtype: Any = ..., output_shape: Any = ...) -> _ir.Tensor:
    """An image of another size [ONNX's Resize]. Place i of m comes from the place x of n: half_pixel (i + 0.5) n / m - 0.5; align_corners i (n - 1) / (m - 1); asymmetric i n / m; pytorch_half_pixel as half_pixel, but 0 if m is 1; tf_half_pixel_for_nn (i + 0.5) n / m; tf_crop_and_resize a part of the image, with start and end between 0 and 1. Places outside have the nearest element of the image. Integers are rounded.

    Args:
        data: a tensor. The image, in `layout`.
        roi: a tensor. For tf_crop_and_resize: the start of each dimension, and then the end of each.
        size: a tuple of extents: ints, or expressions over sizes. The new extents.
        layout: a str. The dimensions of `data`.
        method: a str. How elements are found.
        coordinate_transformation_mode: a str. The rule of places.
        rounding_method: a str. Which element is nearest; "": round with align_corners, else floor. `round` rounds halves up.
        bicubic_alpha: a number. The coefficient of cubic interpolation.
        bicubic_exclude: an int. 1: elements outside have no weight in cubic interpolation, and the other weights are scaled to the sum 1.
        extrapolation_value: a number. For places outside, with tf_crop_and_resize.
        out_dtype: the name of an element type. The type of the result; "": as `data`.
        output_shape: any value. Without effect.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.image.resize2d(data=te.placeholder((4, 3, 7, 5)), roi=None, size=(5, 9), method='nearest_neighbor')
    """

def resize3d(data: Any, roi: Any, size: Any, layout: Any = ..., method: Any = ..., coordinate_transformation_mode: Any = ..., rounding_method: Any = ..., bicubic_alpha: Any = ..., bicubic_exclude: Any = ..., extrapolation_value: Any = ..., out_dtype: Any = ..., output_shape: Any = ...) -> _ir.Tensor:
    """An image of another size [ONNX's Resize]. Place i of m comes from the place x of n: half_pixel (i + 0.5) n / m - 0.5; align_corners i (n - 1) / (m - 1); asymmetric i n / m; pytorch_half_pixel as half_pixel, but 0 if m is 1; tf_half_pixel_for_nn (i + 0.5) n / m; tf_crop_and_resize a part of the image, with start and end between 0 and 1. Places outside have the nearest element of the image. Integers are rounded.

    Args:
        data: a tensor. The image, in `layout`.
        roi: a tensor. For tf_crop_and_resize: the start of each dimension, and then the end of each.
        size: a tuple of extents: ints, or expressions over sizes. The new extents.
        layout: a str. The dimensions of `data`.
        method: a str. How elements are found.
        coordinate_transformation_mode: a str. The rule of places.
        rounding_method: a str. Which element is nearest; "": round with align_corners, else floor. `round` rounds halves up.
        bicubic_alpha: a number. The coefficient of cubic interpolation.
        bicubic_exclude: an int. 1: elements outside have no weight in cubic interpolation, and the other weights are scaled to the sum 1.
        extrapolation_value: a number. For places outside, with tf_crop_and_resize.
        out_dtype: the name of an element type. The type of the result; "": as `data`.
        output_shape: any value. Without effect.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.image.resize3d(data=te.placeholder((4, 3, 4, 5, 3)), roi=None, size=(5, 9, 4), method='nearest_neighbor')
    """
