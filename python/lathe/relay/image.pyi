"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.relay.expr as _relay
from lathe.relay._composed_windows import dilation2d as dilation2d

def affine_grid(data: Any, target_shape: Any) -> _relay.Expr:
    """A grid for image.grid_sample: A (x, y, 1) for each place of the result, with x and y from -1 to 1 [Jaderberg et al., 2015]. A dimension of one place is at 0, as in PyTorch.

    Args:
        data: an expression. A matrix A for each image [n, 2, 3] (a floating type).
        target_shape: a tuple of extents: ints, or expressions over sizes. Height and width of the grid.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.image.affine_grid(relay.var("data", shape=(4, 2, 3)), target_shape=(4, 5))
    """

def crop_and_resize(data: Any, boxes: Any, box_indices: Any, crop_size: Any, layout: Any = ..., method: Any = ..., extrapolation_value: Any = ..., out_dtype: Any = ...) -> _relay.Expr:
    """Boxes of images, resized to one size [TensorFlow's crop_and_resize]. Place i of m comes from y1 (n - 1) + i (y2 - y1) (n - 1) / (m - 1), or from the middle if m is 1.

    Args:
        data: an expression. Images, in `layout` (a floating type or an integer type).
        boxes: an expression. (y1, x1, y2, x2) of each box, as shares of the image [k, 4] (a floating type).
        box_indices: an expression. The image of each box [k] (int32 or int64).
        crop_size: a tuple of extents: ints, or expressions over sizes. Height and width of the results.
        layout: a str. The dimensions of `data`. One of "NCHW", "NHWC".
        method: a str. How elements are found. One of "bilinear", "nearest_neighbor".
        extrapolation_value: a number. For places outside of the image.
        out_dtype: the name of an element type. The type of the result; "": as `data`.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.image.crop_and_resize(relay.var("data", shape=(2, 3, 5, 6)), relay.var("boxes", shape=(4, 4)), relay.var("box_indices", shape=(4,), dtype="int32"), crop_size=(3, 4), extrapolation_value=3.0, method='nearest_neighbor')
    """

def grid_sample(data: Any, grid: Any, method: Any = ..., layout: Any = ..., padding_mode: Any = ..., align_corners: Any = ...) -> _relay.Expr:
    """Elements at the places of a grid, in which -1 and 1 are the borders of the image: with align_corners the centres of the outermost elements, else their outer edges. The rules are PyTorch's grid_sample; the grid is as in Relay.

    Args:
        data: an expression. The image, in `layout` (a floating type).
        grid: an expression. (x, y) or (x, y, z) of each place [n, 2 or 3, ...] (a floating type).
        method: a str. How elements are found; bicubic with alpha = -0.75, for NCHW only. One of "bilinear", "nearest", "bicubic".
        layout: a str. The dimensions of `data`. One of "NCHW", "NCDHW".
        padding_mode: a str. What is outside: zeros, the nearest element, or the image mirrored. One of "zeros", "border", "reflection".
        align_corners: a bool. Are -1 and 1 centres of elements?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.image.grid_sample(relay.var("data", shape=(4, 2, 5, 6)), relay.var("grid", shape=(4, 2, 3, 4)))
    """

def resize1d(data: Any, size: Any, roi: Any = ..., layout: Any = ..., method: Any = ..., coordinate_transformation_mode: Any = ..., rounding_method: Any = ..., cubic_alpha: Any = ..., cubic_exclude: Any = ..., extrapolation_value: Any = ..., out_dtype: Any = ...) -> _relay.Expr:
    """An image of another size [ONNX's Resize]. Place i of m comes from the place x of n: half_pixel (i + 0.5) n / m - 0.5; align_corners i (n - 1) / (m - 1); asymmetric i n / m; pytorch_half_pixel as half_pixel, but 0 if m is 1; tf_half_pixel_for_nn (i + 0.5) n / m; tf_crop_and_resize a part of the image, with start and end between 0 and 1. Places outside have the nearest element of the image. Integers are rounded.

    Args:
        data: an expression. The image, in `layout` (a floating type or an integer type).
        roi: an expression, or None. For tf_crop_and_resize: the start of each dimension, and then the end of each (a floating type).
        size: a tuple of extents: ints, or expressions over sizes. The new extents.
        layout: a str. The dimensions of `data`. One of "NCW", "NWC".
        method: a str. How elements are found. One of "linear", "nearest_neighbor", "cubic".
        coordinate_transformation_mode: a str. The rule of places. One of "half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel", "tf_half_pixel_for_nn", "tf_crop_and_resize".
        rounding_method: a str. Which element is nearest; "": round with align_corners, else floor. `round` rounds halves up. One of "", "round", "floor", "ceil", "round_prefer_floor", "round_prefer_ceil".
        cubic_alpha: a number. The coefficient of cubic interpolation.
        cubic_exclude: an int. 1: elements outside have no weight in cubic interpolation, and the other weights are scaled to the sum 1.
        extrapolation_value: a number. For places outside, with tf_crop_and_resize.
        out_dtype: the name of an element type. The type of the result; "": as `data`.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.image.resize1d(data=relay.var("data", shape=(4, 3, 7)), method='nearest_neighbor', size=(5,))
    """

def resize2d(data: Any, size: Any, roi: Any = ..., layout: Any = ..., method: Any = ..., coordinate_transformation_mode: Any = ..., rounding_method: Any = ..., cubic_alpha: Any = ..., cubic_exclude: Any = ..., extrapolation_value: Any = ..., out_dtype: Any = ...) -> _relay.Expr:
    """An image of another size [ONNX's Resize]. Place i of m comes from the place x of n: half_pixel (i + 0.5) n / m - 0.5; align_corners i (n - 1) / (m - 1); asymmetric i n / m; pytorch_half_pixel as half_pixel, but 0 if m is 1; tf_half_pixel_for_nn (i + 0.5) n / m; tf_crop_and_resize a part of the image, with start and end between 0 and 1. Places outside have the nearest element of the image. Integers are rounded.

    Args:
        data: an expression. The image, in `layout` (a floating type or an integer type).
        roi: an expression, or None. For tf_crop_and_resize: the start of each dimension, and then the end of each (a floating type).
        size: a tuple of extents: ints, or expressions over sizes. The new extents.
        layout: a str. The dimensions of `data`. One of "NCHW", "NHWC".
        method: a str. How elements are found. One of "linear", "nearest_neighbor", "cubic".
        coordinate_transformation_mode: a str. The rule of places. One of "half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel", "tf_half_pixel_for_nn", "tf_crop_and_resize".
        rounding_method: a str. Which element is nearest; "": round with align_corners, else floor. `round` rounds halves up. One of "", "round", "floor", "ceil", "round_prefer_floor", "round_prefer_ceil".
        cubic_alpha: a number. The coefficient of cubic interpolation.
        cubic_exclude: an int. 1: elements outside have no weight in cubic interpolation, and the other weights are scaled to the sum 1.
        extrapolation_value: a number. For places outside, with tf_crop_and_resize.
        out_dtype: the name of an element type. The type of the result; "": as `data`.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.image.resize2d(data=relay.var("data", shape=(4, 3, 7, 5)), method='nearest_neighbor', size=(5, 9))
    """

def resize3d(data: Any, size: Any, roi: Any = ..., layout: Any = ..., method: Any = ..., coordinate_transformation_mode: Any = ..., rounding_method: Any = ..., cubic_alpha: Any = ..., cubic_exclude: Any = ..., extrapolation_value: Any = ..., out_dtype: Any = ...) -> _relay.Expr:
    """An image of another size [ONNX's Resize]. Place i of m comes from the place x of n: half_pixel (i + 0.5) n / m - 0.5; align_corners i (n - 1) / (m - 1); asymmetric i n / m; pytorch_half_pixel as half_pixel, but 0 if m is 1; tf_half_pixel_for_nn (i + 0.5) n / m; tf_crop_and_resize a part of the image, with start and end between 0 and 1. Places outside have the nearest element of the image. Integers are rounded.

    Args:
        data: an expression. The image, in `layout` (a floating type or an integer type).
        roi: an expression, or None. For tf_crop_and_resize: the start of each dimension, and then the end of each (a floating type).
        size: a tuple of extents: ints, or expressions over sizes. The new extents.
        layout: a str. The dimensions of `data`. One of "NCDHW", "NDHWC".
        method: a str. How elements are found. One of "linear", "nearest_neighbor", "cubic".
        coordinate_transformation_mode: a str. The rule of places. One of "half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel", "tf_half_pixel_for_nn", "tf_crop_and_resize".
        rounding_method: a str. Which element is nearest; "": round with align_corners, else floor. `round` rounds halves up. One of "", "round", "floor", "ceil", "round_prefer_floor", "round_prefer_ceil".
        cubic_alpha: a number. The coefficient of cubic interpolation.
        cubic_exclude: an int. 1: elements outside have no weight in cubic interpolation, and the other weights are scaled to the sum 1.
        extrapolation_value: a number. For places outside, with tf_crop_and_resize.
        out_dtype: the name of an element type. The type of the result; "": as `data`.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.image.resize3d(data=relay.var("data", shape=(4, 3, 4, 5, 3)), method='nearest_neighbor', size=(5, 9, 4))
    """

def rgb_to_grayscale(data: Any, axis: Any = ...) -> _relay.Expr:
    """Brightness: 0.2989 r + 0.587 g + 0.114 b, as one channel [TensorFlow's rule].

    Args:
        data: an expression. The image, with the channels red, green and blue along `axis` (a floating type).
        axis: an int. The dimension of the channels.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.image.rgb_to_grayscale(relay.var("data", shape=(4, 4, 3)))
    """

def rgb_to_hsv(data: Any, axis: Any = ...) -> _relay.Expr:
    """Hue in [0, 1), saturation and value [Smith, 1978; TensorFlow's rule]. Grey has the hue 0.

    Args:
        data: an expression. The image, with the channels red, green and blue along `axis` (a floating type).
        axis: an int. The dimension of the channels.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.image.rgb_to_hsv(relay.var("data", shape=(4, 4, 3)))
    """

def rgb_to_yuv(data: Any, axis: Any = ...) -> _relay.Expr:
    """Brightness and two colour differences [TensorFlow's rule].

    Args:
        data: an expression. The image, with the channels red, green and blue along `axis` (a floating type).
        axis: an int. The dimension of the channels.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.image.rgb_to_yuv(relay.var("data", shape=(4, 4, 3)))
    """

def yuv_to_rgb(data: Any, axis: Any = ...) -> _relay.Expr:
    """The inverse of image.rgb_to_yuv [TensorFlow's rule].

    Args:
        data: an expression. The image, with the channels y, u, v along `axis` (a floating type).
        axis: an int. The dimension of the channels.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.image.yuv_to_rgb(relay.var("data", shape=(4, 4, 3)))
    """
