"""Products of matrices by oneDNN, called from compiled code.

The library is called through Python: such operations run in the process that compiled them.
"""

from . import _blas

_NAMES = ("dnnl", "mkldnn")


def matmul(lhs, rhs, transa=False, transb=False, **kwargs):
    """The product of two matrices.

    Args:
        lhs: a float32 tensor (rows, depth); with `transa` (depth, rows).
        rhs: a float32 tensor (depth, columns); with `transb` (columns, depth).
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
    return _blas.matmul("dnnl", _NAMES, lhs, rhs, transa, transb, kwargs)
