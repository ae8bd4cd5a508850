"""Sorting, scanning, scattering."""

from ..error import LatheValueError
from . import _derive

_derive.install(globals(), {
    "sort(data, axis=-1, is_ascend=True)": "sort",
    "topk(data, k=1, axis=-1, ret_type='both', is_ascend=False, dtype='int64')": "topk",
    "searchsorted(sorted_sequence, values, right=False, out_dtype:dtype='int64')": "searchsorted",
    "cumsum(data, axis=None, dtype=None, exclusive=None)": "cumsum",
    "cumprod(data, axis=None, dtype=None, exclusive=None)": "cumprod",
    "scatter(data, indices, updates, axis=0)": "scatter",
    "scatter_add(data, indices, updates, axis=0)": "scatter_add",
    "scatter_nd(data, indices, updates, mode)": "scatter_nd",
})


def argsort(data, valid_count=None, axis=-1, is_ascend=1, dtype="float32"):
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
    if valid_count is not None:
        raise LatheValueError("argsort sorts whole axes", "topi-argument",
                              "help: valid_count=None")
    order = _derive.apply("argsort", [data], axis=axis, is_ascend=bool(is_ascend))
    return order if order.dtype == dtype else _derive.apply("cast", [order], dtype=dtype)
