"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheError as LatheError
from lathe.runtime.packed_func import register_func as register_func

def batch_matmul(lhs: Any, rhs: Any, transa: Any = ..., transb: Any = ..., dtype: Any = ...) -> Any:
    """The products of two batches of matrices.

    Args:
        lhs: a tensor (batch, rows, depth), of the element types that `matmul` takes; with `transa`
            (batch, depth, rows).
        rhs: a tensor (batch, depth, columns) of the same element type; with `transb` (batch, columns,
            depth). A batch of 1 is used for all.
        transa, transb: are the matrices of the operand transposed?
        dtype: as for `matmul`.

    Returns:
        A tensor (batch, rows, columns): an extern operation.

    Raises:
        LatheError: as `matmul`.

    Example:
        >>> from lathe import te
        >>> from lathe.contrib import cublas
        >>> A, B = te.placeholder((5, 2, 3), name="A"), te.placeholder((5, 3, 4), name="B")
        >>> cublas.batch_matmul(A, B).shape    # doctest: +SKIP
        (5, 2, 4)
    """

def matmul(lhs: Any, rhs: Any, transa: Any = ..., transb: Any = ..., dtype: Any = ...) -> Any:
    """The product of two matrices.

    Args:
        lhs: a tensor (rows, depth) of float16, bfloat16, float32, float64 or int8; with `transa` (depth, rows).
        rhs: a tensor (depth, columns) of the same element type; with `transb` (columns, depth).
        transa, transb: is the operand transposed?
        dtype: the result's element type: that of the operands, and int32 for int8; by default this one.

    Returns:
        A tensor (rows, columns): an extern operation.

    Raises:
        LatheError: `contrib-library`: the library is not installed; `contrib-operands`.

    Example:
        >>> import lathe
        >>> from lathe import te
        >>> from lathe.contrib import cublas
        >>> A, B = te.placeholder((2, 3), name="A"), te.placeholder((3, 4), name="B")
        >>> cublas.matmul(A, B).shape    # doctest: +SKIP
        (2, 4)
        >>> try:
        ...     cublas.matmul(B, A)
        ... except lathe.LatheError as error:
        ...     print(error.name)    # 4 columns, but 2 rows
        contrib-operands
    """
