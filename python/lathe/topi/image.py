"""Operators of images."""

import functools
import inspect

from .. import relay
from . import _derive
from ._from_relay import of_tensors

_RESIZE = ("size, layout='{}', method='linear', coordinate_transformation_mode='half_pixel', "
           "rounding_method='', bicubic_alpha:cubic_alpha=-0.5, bicubic_exclude:cubic_exclude=0, "
           "extrapolation_value=0.0, out_dtype=None, output_shape:_=None")
_derive.install(globals(), {
    **{f"resize{n}d(data, roi, {_RESIZE.format(layout)})": f"image.resize{n}d"
       for n, layout in ((1, "NCW"), (2, "NCHW"), (3, "NCDHW"))},
    "crop_and_resize(data, boxes, box_indices, crop_size, layout='NCHW', method='bilinear', "
    "extrapolation_value=0.0, out_dtype=None)": "image.crop_and_resize",
    "affine_grid(data, target_shape)": "image.affine_grid",
    "grid_sample(data, grid, method='bilinear', layout='NCHW', padding_mode='zeros', "
    "align_corners=True)": "image.grid_sample",
})


def _with_listed_region(resize):
    """`resize` that also takes the region of interest as a list of numbers, which all modes but one ignore."""
    @functools.wraps(resize)
    def resized(data, roi, *args, **kwargs):
        if isinstance(roi, (list, tuple)):
            mode = inspect.signature(resize).bind(data, roi, *args, **kwargs)
            mode.apply_defaults()
            roi = _constant(roi) if mode.arguments["coordinate_transformation_mode"] == "tf_crop_and_resize" else None
        return resize(data, roi, *args, **kwargs)

    return resized


def _constant(numbers):
    import numpy as np

    from ..te import constant

    return constant(np.array([float(n) for n in numbers], "float32"), name="roi")


resize1d, resize2d, resize3d = (_with_listed_region(globals()[f"resize{n}d"]) for n in (1, 2, 3))


def dilation2d_nchw(input, filter, stride, padding, dilations, out_dtype=None):
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
    return of_tensors(lambda x, w: relay.image.dilation2d(x, w, stride, padding, dilations, out_dtype=out_dtype),
                      input, filter)


def dilation2d_nhwc(input, filter, stride, padding, dilations, out_dtype=None):
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
    return of_tensors(lambda x, w: relay.image.dilation2d(x, w, stride, padding, dilations, "NHWC", "HWI", out_dtype),
                      input, filter)
