"""Written by python/stubs/make_stubs.py."""

from typing import Any

def matmul(lhs: Any, rhs: Any, transa: Any = ..., transb: Any = ..., n: Any = ..., m: Any = ..., dtype: Any = ...) -> Any:
    """The product of two matrices.

    Args:
        lhs, rhs, transa, transb, dtype: as for `contrib.cublas.matmul`.
        n, m: accepted for old programs: the sizes of the result follow from the operands.

    Returns:
        A tensor (rows, columns): an extern operation.

    Raises:
        LatheError: as `contrib.cublas.matmul`.

    Example:
        >>> from lathe import te
        >>> from lathe.contrib import cublaslt
        >>> A, B = te.placeholder((8, 16), "int8", name="A"), te.placeholder((4, 16), "int8", name="B")
        >>> cublaslt.matmul(A, B, transb=True).dtype    # doctest: +SKIP
        'int32'
    """
