"""Written by python/stubs/make_stubs.py."""

from typing import Any

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
        >>> from lathe.contrib import dnnl
        >>> A, B = te.placeholder((2, 3), name="A"), te.placeholder((3, 4), name="B")
        >>> dnnl.matmul(A, B).shape    # doctest: +SKIP
        (2, 4)
        >>> try:
        ...     dnnl.matmul(B, A)
        ... except lathe.LatheError as error:
        ...     print(error.name)    # 4 columns, but 2 rows
        contrib-operands
    """
