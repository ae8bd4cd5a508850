"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.ir as _ir

def all(data: Any, axis: Any = ..., keepdims: Any = ...) -> _ir.Tensor:
    """Whether all elements hold.

    Args:
        data: a tensor. The input.
        axis: an int or a tuple of ints. The dimensions; empty: all.
        keepdims: a bool. Do they stay, with extent 1?.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.all(data=te.placeholder((4, 5), "bool"))
    """

def any(data: Any, axis: Any = ..., keepdims: Any = ...) -> _ir.Tensor:
    """Whether an element holds.

    Args:
        data: a tensor. The input.
        axis: an int or a tuple of ints. The dimensions; empty: all.
        keepdims: a bool. Do they stay, with extent 1?.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.any(data=te.placeholder((4, 5), "bool"))
    """

def argmax(data: Any, axis: Any = ..., keepdims: Any = ..., select_last_index: Any = ...) -> _ir.Tensor:
    """The place of the greatest element. int32. Of several dimensions, it is the place in row-major order. NaN is found before all numbers.

    Args:
        data: a tensor. The input.
        axis: an int or a tuple of ints. The dimensions; empty: all.
        keepdims: a bool. Do they stay, with extent 1?.
        select_last_index: a bool. The last of equal elements, not the first?.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.argmax(data=te.placeholder((4, 5)))
    """

def argmin(data: Any, axis: Any = ..., keepdims: Any = ..., select_last_index: Any = ...) -> _ir.Tensor:
    """The place of the smallest element. int32. Of several dimensions, it is the place in row-major order. NaN is found before all numbers.

    Args:
        data: a tensor. The input.
        axis: an int or a tuple of ints. The dimensions; empty: all.
        keepdims: a bool. Do they stay, with extent 1?.
        select_last_index: a bool. The last of equal elements, not the first?.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.argmin(data=te.placeholder((4, 5)))
    """

def max(data: Any, axis: Any = ..., keepdims: Any = ...) -> _ir.Tensor:
    """The greatest element; NaN if one is NaN.

    Args:
        data: a tensor. The input.
        axis: an int or a tuple of ints. The dimensions; empty: all.
        keepdims: a bool. Do they stay, with extent 1?.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.max(data=te.placeholder((4, 5)))
    """

def min(data: Any, axis: Any = ..., keepdims: Any = ...) -> _ir.Tensor:
    """The smallest element; NaN if one is NaN.

    Args:
        data: a tensor. The input.
        axis: an int or a tuple of ints. The dimensions; empty: all.
        keepdims: a bool. Do they stay, with extent 1?.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.min(data=te.placeholder((4, 5)))
    """

def prod(data: Any, axis: Any = ..., keepdims: Any = ...) -> _ir.Tensor:
    """The product.

    Args:
        data: a tensor. The input.
        axis: an int or a tuple of ints. The dimensions; empty: all.
        keepdims: a bool. Do they stay, with extent 1?.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.prod(data=te.placeholder((4, 5)))
    """

def sum(data: Any, axis: Any = ..., keepdims: Any = ...) -> _ir.Tensor:
    """The sum.

    Args:
        data: a tensor. The input.
        axis: an int or a tuple of ints. The dimensions; empty: all.
        keepdims: a bool. Do they stay, with extent 1?.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.sum(data=te.placeholder((4, 5)))
    """
