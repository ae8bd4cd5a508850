"""Pools: `pool_type` is "max" or "avg"."""

from ...error import LatheValueError
from .. import _derive


def _op(kind, pool_type, spatial):
    if pool_type not in ("max", "avg"):
        raise LatheValueError(f"there is no pool {pool_type!r}", "topi-argument",
                              'expected: "max" or "avg"')
    return f"nn.{kind}{pool_type}_pool{spatial}d"


def _pool(spatial, data, kernel, stride, dilation, padding, pool_type, ceil_mode, layout,
          count_include_pad):
    more = {} if pool_type == "max" else {"count_include_pad": count_include_pad}
    return _derive.apply(_op("", pool_type, spatial), [data], pool_size=kernel, strides=stride,
                         dilation=dilation, padding=padding, layout=layout, ceil_mode=ceil_mode,
                         **more)


def pool1d(data, kernel, stride, dilation, padding, pool_type, ceil_mode=False, layout="NCW",
           count_include_pad=True):
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
    return _pool(1, data, kernel, stride, dilation, padding, pool_type, ceil_mode, layout,
                 count_include_pad)


def pool2d(data, kernel, stride, dilation, padding, pool_type, ceil_mode=False, layout="NCHW",
           count_include_pad=True):
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
    return _pool(2, data, kernel, stride, dilation, padding, pool_type, ceil_mode, layout,
                 count_include_pad)


def pool3d(data, kernel, stride, dilation, padding, pool_type, ceil_mode=False, layout="NCDHW",
           count_include_pad=True):
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
    return _pool(3, data, kernel, stride, dilation, padding, pool_type, ceil_mode, layout,
                 count_include_pad)


def global_pool(data, pool_type, layout="NCHW"):
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
    return _derive.apply(_op("global_", pool_type, 2), [data], layout=layout)


def adaptive_pool(data, output_size, pool_type, layout="NCHW"):
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
    return _derive.apply(_op("adaptive_", pool_type, 2), [data], output_size=output_size,
                         layout=layout)


def adaptive_pool3d(data, output_size, pool_type, layout="NCDHW"):
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
    return _derive.apply(_op("adaptive_", pool_type, 3), [data], output_size=output_size,
                         layout=layout)
