"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError
from lathe import te as te
from lathe import tir as tir

def binarize_pack(data: Any, axis: Any = ..., name: Any = ...) -> Any:
    """The signs of elements along an axis, 32 in each uint32: 1 where an element is >= 0.

    Args:
        data: a tensor; the extent of the axis is a multiple of 32.
        axis: the axis; by default the last one.
        name: of the result.

    Returns:
        A uint32 tensor. The first of 32 elements is the highest bit.

    Raises:
        LatheValueError: `topi-pack-extent`: the extent is no multiple of 32.

    Example:
        >>> import lathe, numpy as np
        >>> from lathe import te, topi
        >>> A = te.placeholder((1, 32), name="A")
        >>> B = topi.nn.binarize_pack(A)
        >>> f, b = lathe.build(te.create_schedule(B.op), [A, B], "llvm"), np.zeros((1, 1), "uint32")
        >>> f(np.array([[1] * 2 + [-1] * 30], "float32"), b)
        >>> bin(b[0, 0])[:4]
        '0b11'
    """

def binary_dense(data: Any, weight: Any) -> Any:
    """The products of rows of signs, packed by `binarize_pack`: equal signs count 1, others -1.

    Args:
        data: a uint32 tensor (rows, words).
        weight: a uint32 tensor (columns, words).

    Returns:
        A float32 tensor (rows, columns).

    Example:
        >>> from lathe import te, topi
        >>> A, W = te.placeholder((2, 3), "uint32"), te.placeholder((4, 3), "uint32")
        >>> topi.nn.binary_dense(A, W).shape
        (2, 4)
    """
