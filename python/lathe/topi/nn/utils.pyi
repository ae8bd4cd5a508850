"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError

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

    Example:
        >>> from lathe import topi
        >>> topi.nn.utils.get_pad_tuple_generic("SAME", (3, 4))
        [1, 2, 1, 1]
    """
