"""Padding in the forms that convolutions and pools take."""

from ...error import LatheValueError
from ...relay._composed_parts import sides_of


def get_pad_tuple_generic(padding, kernel):
    """The padding of each dimension.

    Args:
        padding: a number for all; a number for each dimension; all numbers before, then all after;
            "VALID" (none) or "SAME" (results of the data's extents, for a stride of 1; of an odd sum the
            larger half is before).
        kernel: the extents of the window.

    Returns:
        A list: all numbers before, then all numbers after.

    Raises:
        LatheError: `topi-padding`: this is no padding.

    Example:
        >>> from lathe import topi
        >>> topi.nn.utils.get_pad_tuple_generic("SAME", (3, 4))
        [1, 2, 1, 1]
    """
    found, count = sides_of(padding, kernel), len(kernel)
    if found is None:
        raise LatheValueError("this is no padding", "topi-padding",
                              f'expected: a number, {count} or {2 * count} numbers, "SAME" or "VALID"\n'
                              f"found: {padding!r}")
    return found


def get_pad_tuple(padding, kernel):
    """(top, left, bottom, right). See `get_pad_tuple_generic`.

    Example:
        >>> from lathe import topi
        >>> topi.nn.utils.get_pad_tuple(1, (3, 3))
        (1, 1, 1, 1)
    """
    return tuple(get_pad_tuple_generic(padding, kernel[:2]))


def get_pad_tuple1d(padding, kernel):
    """(left, right).

    Example:
        >>> from lathe import topi
        >>> topi.nn.utils.get_pad_tuple1d("SAME", (3,))
        (1, 1)
    """
    return tuple(get_pad_tuple_generic(padding, kernel[:1]))


def get_pad_tuple3d(padding, kernel):
    """(front, top, left, back, bottom, right).

    Example:
        >>> from lathe import topi
        >>> topi.nn.utils.get_pad_tuple3d((1, 2, 3), (3, 3, 3))
        (1, 2, 3, 1, 2, 3)
    """
    return tuple(get_pad_tuple_generic(padding, kernel[:3]))


def infer_pad(data, data_pad):
    """How many rows and columns were added on each side of images, rounded down.

    Args:
        data: a tensor (batch, channels, height, width).
        data_pad: it with padding, or None.

    Returns:
        (rows, columns).

    Example:
        >>> from lathe import te, topi
        >>> topi.nn.utils.infer_pad(te.placeholder((1, 3, 8, 8)), te.placeholder((1, 3, 10, 12)))
        (1, 2)
    """
    if data_pad is None:
        return 0, 0
    return tuple(int(data_pad.shape[i] - data.shape[i]) // 2 for i in (2, 3))


def infer_pad3d(data, data_pad, layout):
    """How many planes, rows and columns were added on each side of volumes, rounded down.

    Args:
        data: a tensor in `layout`.
        data_pad: it with padding, or None.
        layout: "NCDHW" or "NDHWC".

    Returns:
        (planes, rows, columns).

    Raises:
        LatheError: `topi-layout`: another layout.

    Example:
        >>> from lathe import te, topi
        >>> x, padded = te.placeholder((1, 8, 8, 8, 3)), te.placeholder((1, 8, 10, 10, 3))
        >>> topi.nn.utils.infer_pad3d(x, padded, "NDHWC")
        (0, 1, 1)
    """
    if layout not in ("NCDHW", "NDHWC"):
        raise LatheValueError(f"there is no layout {layout!r} of volumes", "topi-layout", "expected: NCDHW or NDHWC")
    if data_pad is None:
        return 0, 0, 0
    return tuple(int(data_pad.shape[i] - data.shape[i]) // 2 for i in map(layout.index, "DHW"))


def infer_stride(data, kernel, out):
    """How far the window of a convolution moved.

    Args:
        data: a tensor (batch, channels, height, width), with padding.
        kernel: a tensor (out, channels, window height, window width).
        out: a tensor (batch, out, out height, out width), each more than 1.

    Returns:
        (rows, columns).

    Example:
        >>> from lathe import te, topi
        >>> x, w = te.placeholder((1, 3, 10, 10)), te.placeholder((2, 3, 3, 3))
        >>> topi.nn.utils.infer_stride(x, w, te.placeholder((1, 2, 4, 8)))
        (2, 1)
    """
    return tuple(int(data.shape[i] - kernel.shape[i]) // int(out.shape[i] - 1) for i in (2, 3))
