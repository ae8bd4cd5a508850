"""Written by python/stubs/make_stubs.py."""

from typing import Any

def batch_matmul(lhs: Any, rhs: Any, transa: Any = ..., transb: Any = ..., iterative: Any = ..., **kwargs: Any) -> Any:
    """The products of two batches of matrices, one after the other.

    Args:
        lhs: a tensor (batch, rows, depth), float32 or float64; with `transa` (batch, depth, rows).
        rhs: a tensor (batch, depth, columns) of the same element type; with `transb` (batch, columns,
            depth). A batch of 1 is used for all.
        transa, transb: are the matrices of the operand transposed?
        iterative: accepted for old programs: the products are always computed one after the other.
        kwargs: passed on to `te.extern`.

    Returns:
        A tensor (batch, rows, columns): an extern operation.

    Raises:
        LatheError: `contrib-library`, `contrib-operands`.

    Example:
        >>> import lathe
        >>> from lathe import te
        >>> from lathe.contrib import mkl
        >>> A, B = te.placeholder((5, 2, 3), name="A"), te.placeholder((6, 3, 4), name="B")
        >>> mkl.batch_matmul(A, te.placeholder((1, 3, 4), name="W")).shape    # doctest: +SKIP
        (5, 2, 4)
        >>> try:
        ...     mkl.batch_matmul(A, B)
        ... except lathe.LatheError as error:
        ...     print(error.name)    # batches of 5 and of 6
        contrib-operands
    """

def matmul(lhs: Any, rhs: Any, transa: Any = ..., transb: Any = ..., **kwargs: Any) -> Any:
    """The product of two matrices.

    Args:
        lhs: a tensor (rows, depth), float32 or float64 (oneDNN: float32); with `transa` (depth, rows).
        rhs: a tensor (depth, columns) of the same element type; with `transb` (columns, depth).
        transa, transb: is the operand transposed?
        kwargs: passed on to `te.extern`.

    Returns:
        A tensor (rows, columns): an extern operation.

    Raises:
        LatheError: `contrib-library`: the library is not installed; `contrib-operands`.

    Example:
        >>> import lathe
        >>> from lathe import te
        >>> from lathe.contrib import mkl
        >>> A, B = te.placeholder((2, 3), name="A"), te.placeholder((3, 4), name="B")
        >>> mkl.matmul(A, B).shape    # doctest: +SKIP
        (2, 4)
        >>> try:
        ...     mkl.matmul(B, A)
        ... except lathe.LatheError as error:
        ...     print(error.name)    # 4 columns, but 2 rows
        contrib-operands
    """
