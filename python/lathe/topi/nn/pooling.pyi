"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.ir as _ir
from lathe.error import LatheValueError as LatheValueError

def adaptive_pool(data: Any, output_size: Any, pool_type: Any, layout: Any = ...) -> _ir.Tensor:
    """Pools an image with windows that give a result of `output_size`.

    Args:
        data: a tensor of the order `layout`.
        output_size: height and width of the result.
        pool_type: "max" or "avg".
        layout: the order of the dimensions.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> topi.nn.adaptive_pool(te.placeholder((1, 4, 8, 8)), (3, 2), "avg").shape
        (1, 4, 3, 2)
    """

def adaptive_pool3d(data: Any, output_size: Any, pool_type: Any, layout: Any = ...) -> _ir.Tensor:
    """`adaptive_pool` of volumes.

    Args:
        data: a tensor of the order `layout`.
        output_size: depth, height and width of the result.
        pool_type: "max" or "avg".
        layout: the order of the dimensions.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> topi.nn.adaptive_pool3d(te.placeholder((1, 2, 8, 8, 8)), (2, 2, 2), "max").shape
        (1, 2, 2, 2, 2)
    """

def global_pool(data: Any, pool_type: Any, layout: Any = ...) -> _ir.Tensor:
    """The largest element, or the mean, of each channel of an image.

    Args:
        data: a tensor of the order `layout`.
        pool_type: "max" or "avg".
        layout: the order of the dimensions.

    Returns:
        A tensor with extents of 1 for height and width.

    Example:
        >>> from lathe import te, topi
        >>> topi.nn.global_pool(te.placeholder((1, 4, 8, 8)), "avg").shape
        (1, 4, 1, 1)
    """

def pool1d(data: Any, kernel: Any, stride: Any, dilation: Any, padding: Any, pool_type: Any, ceil_mode: Any = ..., layout: Any = ..., count_include_pad: Any = ...) -> _ir.Tensor:
    """The largest element, or the mean, of each window of a row.

    Args:
        data: a tensor of the order `layout`.
        kernel, stride, dilation, padding: of the window.
        pool_type: "max" or "avg".
        ceil_mode: also a last window that reaches over the end.
        layout: the order of the dimensions.
        count_include_pad: means count the padding's zeros.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> topi.nn.pool1d(te.placeholder((1, 4, 8)), [2], [2], [1], [0, 0], "max").shape
        (1, 4, 4)
    """

def pool2d(data: Any, kernel: Any, stride: Any, dilation: Any, padding: Any, pool_type: Any, ceil_mode: Any = ..., layout: Any = ..., count_include_pad: Any = ...) -> _ir.Tensor:
    """The largest element, or the mean, of each window of an image.

    Args:
        data: a tensor of the order `layout`.
        kernel, stride, dilation: of the window, two numbers each.
        padding: top, left, bottom, right.
        pool_type, ceil_mode, layout, count_include_pad: as for `pool1d`.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> topi.nn.pool2d(te.placeholder((1, 4, 8, 8)), [2, 2], [2, 2], [1, 1], [0, 0, 0, 0],
        ...                "avg").shape
        (1, 4, 4, 4)
    """

def pool3d(data: Any, kernel: Any, stride: Any, dilation: Any, padding: Any, pool_type: Any, ceil_mode: Any = ..., layout: Any = ..., count_include_pad: Any = ...) -> _ir.Tensor:
    """The largest element, or the mean, of each window of a volume.

    Args:
        data: a tensor of the order `layout`.
        kernel, stride, dilation: of the window, three numbers each.
        padding: front, top, left, back, bottom, right.
        pool_type, ceil_mode, layout, count_include_pad: as for `pool1d`.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> topi.nn.pool3d(te.placeholder((1, 2, 4, 4, 4)), [2] * 3, [2] * 3, [1] * 3, [0] * 6,
        ...                "max").shape
        (1, 2, 2, 2, 2)
    """
