"""Padding in the forms that convolutions and pools take."""

from ...error import LatheValueError


def get_pad_tuple_generic(padding, kernel):
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
    extents, count = [int(getattr(n, "value", n)) for n in kernel], len(kernel)
    if padding == "VALID":
        return [0] * (2 * count)
    if padding == "SAME":
        return [n // 2 for n in extents] + [n - 1 - n // 2 for n in extents]
    if isinstance(padding, (list, tuple)):
        given = [int(getattr(n, "value", n)) for n in padding]
        if len(given) == 1:
            return given * (2 * count)
        if len(given) in (count, 2 * count):
            return given if len(given) == 2 * count else given * 2
    elif isinstance(padding, int):
        return [padding] * (2 * count)
    raise LatheValueError("this is no padding", "topi-padding",
                          f'expected: a number, {count} or {2 * count} numbers, "SAME" or "VALID"\n'
                          f"found: {padding!r}")


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
