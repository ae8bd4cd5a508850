"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError
from lathe.relay._composed_parts import sides_of as sides_of

def get_pad_tuple(padding: Any, kernel: Any) -> Any:
    """(top, left, bottom, right). See `get_pad_tuple_generic`.

    Example:
        >>> from lathe import topi
        >>> topi.nn.utils.get_pad_tuple(1, (3, 3))
        (1, 1, 1, 1)
    """

def get_pad_tuple1d(padding: Any, kernel: Any) -> Any:
    """(left, right).

    Example:
        >>> from lathe import topi
        >>> topi.nn.utils.get_pad_tuple1d("SAME", (3,))
        (1, 1)
    """

def get_pad_tuple3d(padding: Any, kernel: Any) -> Any:
    """(front, top, left, back, bottom, right).

    Example:
        >>> from lathe import topi
        >>> topi.nn.utils.get_pad_tuple3d((1, 2, 3), (3, 3, 3))
        (1, 2, 3, 1, 2, 3)
    """

def get_pad_tuple_generic(padding: Any, kernel: Any) -> Any:
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

def infer_pad(data: Any, data_pad: Any) -> Any:
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

def infer_pad3d(data: Any, data_pad: Any, layout: Any) -> Any:
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

def infer_stride(data: Any, kernel: Any, out: Any) -> Any:
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
