"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.ir as _ir
from lathe.error import LatheValueError as LatheValueError

def argsort(data: Any, valid_count: Any = ..., axis: Any = ..., is_ascend: Any = ..., dtype: Any = ...) -> _ir.Tensor:
    """The order that sorts an axis.

    Args:
        data: a tensor.
        valid_count: must be None.
        axis: the axis.
        is_ascend: the smallest first.
        dtype: the element type of the result.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> topi.argsort(te.placeholder((4, 5)), dtype="int32").shape
        (4, 5)
    """

def cumprod(data: Any, axis: Any = ..., dtype: Any = ..., exclusive: Any = ...) -> _ir.Tensor:
    """The running product along one dimension: element i of the result is made of elements 0 to i of the input. The shape of `data`, or without an axis [the number of elements].

    Args:
        data: a tensor. The input.
        axis: an int or a tuple of ints. The dimension; empty: all elements in row-major order.
        dtype: the name of an element type. The type that is computed in; "": that of `data`.
        exclusive: a bool. Is element i left out? The first one is then neutral.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.cumprod(data=te.placeholder((4, 5)), axis=1)
    """

def cumsum(data: Any, axis: Any = ..., dtype: Any = ..., exclusive: Any = ...) -> _ir.Tensor:
    """The running sum along one dimension: element i of the result is made of elements 0 to i of the input. The shape of `data`, or without an axis [the number of elements].

    Args:
        data: a tensor. The input.
        axis: an int or a tuple of ints. The dimension; empty: all elements in row-major order.
        dtype: the name of an element type. The type that is computed in; "": that of `data`.
        exclusive: a bool. Is element i left out? The first one is then neutral.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.cumsum(data=te.placeholder((4, 5)), axis=1)
    """

def scatter(data: Any, indices: Any, updates: Any, axis: Any = ...) -> _ir.Tensor:
    """`data` with elements of `updates` stored along one dimension, at the places that `indices` says. Negative indices count from the end; indices outside are left out. Of several elements at one place, the later ones in row-major order come later.

    Args:
        data: a tensor. The input.
        indices: a tensor. Places along `axis`; at most as long as `data` in other dimensions.
        updates: a tensor. The elements; the shape of `indices`.
        axis: an int. The dimension.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.scatter(data=te.placeholder((6, 4)), indices=te.placeholder((4, 4), "int64"), updates=te.placeholder((4, 4)))
    """

def scatter_add(data: Any, indices: Any, updates: Any, axis: Any = ...) -> _ir.Tensor:
    """`data` with elements of `updates` added along one dimension, at the places that `indices` says. Negative indices count from the end; indices outside are left out. Of several elements at one place, the later ones in row-major order come later.

    Args:
        data: a tensor. The input.
        indices: a tensor. Places along `axis`; at most as long as `data` in other dimensions.
        updates: a tensor. The elements; the shape of `indices`.
        axis: an int. The dimension.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.scatter_add(data=te.placeholder((6, 4)), indices=te.placeholder((4, 4), "int64"), updates=te.placeholder((4, 4)))
    """

def scatter_nd(data: Any, indices: Any, updates: Any, mode: Any) -> _ir.Tensor:
    """`data` with `updates` at places of its first m dimensions (Relay): for indices [m, y...], updates[y..., x...] go to data[indices[0, y...], ..., indices[m - 1, y...], x...]. Negative indices count from the end; places outside are left out; later ones win.

    Args:
        data: a tensor. The input.
        indices: a tensor. [m, y...]; m is a number.
        updates: a tensor. [y..., the last dimensions of `data`].
        mode: a str. How an element is combined with what is there; "update": it replaces it.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.scatter_nd(data=te.placeholder((4, 5)), indices=te.placeholder((2, 4), "int64"), updates=te.placeholder((4,)), mode='update')
    """

def searchsorted(sorted_sequence: Any, values: Any, right: Any = ..., out_dtype: Any = ...) -> _ir.Tensor:
    """Where each value would be inserted into a sorted row: the number of elements below it, or with `right` not above it. The shape of `values`.

    Args:
        sorted_sequence: a tensor. [..., m], sorted along the last dimension, or one row [m].
        values: a tensor. [..., k]: as many rows; any shape if there is one row.
        right: a bool. After equal elements?.
        out_dtype: the name of an element type. The element type of the places.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.searchsorted(sorted_sequence=te.placeholder((1,)), values=te.placeholder((4, 2)))
    """

def sort(data: Any, axis: Any = ..., is_ascend: Any = ...) -> _ir.Tensor:
    """The elements in order along one dimension; the shape of `data`. NaN is greater than all numbers.

    Args:
        data: a tensor. The input.
        axis: an int. The dimension.
        is_ascend: a bool. The smallest element first?.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.sort(data=te.placeholder((2, 4)))
    """

def topk(data: Any, k: Any = ..., axis: Any = ..., ret_type: Any = ..., is_ascend: Any = ..., dtype: Any = ...) -> Any:
    """The k greatest elements along one dimension in order, or the smallest, and their places: the shape of `data` with k there. Of equal elements, the first ones come first.

    Args:
        data: a tensor. The input.
        k: a tuple of extents: ints, or expressions over sizes. How many; below 1: all.
        axis: an int. The dimension.
        ret_type: a str. "both": a tuple of elements and places.
        is_ascend: a bool. The smallest element first?.
        dtype: the name of an element type. The element type of the places.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.topk(data=te.placeholder((4, 9)), k=3)
    """
