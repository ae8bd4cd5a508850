"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError
from lathe import nd as nd
from lathe import te as te

class CSRNDArray:
    """A matrix: its elements that are not zero.

    Args:
        arg1: a dense array of rank 2, or (data, indices, indptr); see Attributes.
        device: where the parts are; the host by default.
        shape: (rows, columns); needed with the parts.

    Attributes:
        data: the elements, row by row, as a Tensor (count,).
        indices: the column of each element, int32; each at most once in a row.
        indptr: where each row begins in `data`, and the end: int32, (rows + 1,).
        shape, dtype, stype: of the matrix; `stype` is "csr".

    Raises:
        LatheError: `sparse-parts`: the parts do not fit each other, or the array is no matrix.

    Example:
        >>> import numpy as np
        >>> from lathe.contrib import sparse
        >>> a = sparse.CSRNDArray(np.array([[0, 2, 0], [3, 0, 4]], "float32"))
        >>> a.data.numpy().tolist(), a.indices.numpy().tolist(), a.indptr.numpy().tolist()
        ([2.0, 3.0, 4.0], [1, 0, 2], [0, 1, 3])
    """
    def __repr__(self) -> str: ...
    def asnumpy(self) -> Any: ...
    @property
    def dtype(self) -> Any:
        """The element type."""

    def numpy(self) -> Any: ...
    def __init__(self, arg1: Any, device: Any = ..., shape: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class CSRPlaceholderOp:
    """Inputs of a computation that are the parts of a sparse matrix.

    Args:
        shape: (rows, columns); ints or expressions.
        nonzeros: the number of elements.
        dtype: the element type.
        name: the parts' names begin with it.

    Attributes:
        data, indices, indptr: placeholders, as the parts of a CSRNDArray.

    Example:
        >>> from lathe.contrib import sparse
        >>> a = sparse.CSRPlaceholderOp((4, 5), 6, "float32", "A")
        >>> a.data.shape, a.indptr.shape, a.indptr.dtype
        ((6,), (5,), 'int32')
    """
    def __init__(self, shape: Any, nonzeros: Any, dtype: Any, name: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def array(source_array: Any, device: Any = ..., shape: Any = ..., stype: Any = ...) -> Any:
    """A CSRNDArray of an array, or of its parts (data, indices, indptr).

    Args:
        source_array, device, shape: as for CSRNDArray.
        stype: "csr".

    Raises:
        LatheError: `sparse-kind`, `sparse-parts`.

    Example:
        >>> from lathe.contrib import sparse
        >>> sparse.array(([2.0], [1], [0, 1]), shape=(1, 3)).numpy().tolist()
        [[0.0, 2.0, 0.0]]
    """

def placeholder(shape: Any, nonzeros: Any = ..., dtype: Any = ..., name: Any = ..., stype: Any = ...) -> Any:
    """Inputs of a computation that are the parts of a sparse matrix: a CSRPlaceholderOp.

    Args:
        shape: (rows, columns).
        nonzeros: the number of elements that are not zero; by default a size of the caller's.
        dtype: the element type, by default float32.
        name: the parts' names begin with it.
        stype: None or "csr".

    Raises:
        LatheError: `sparse-kind`, `sparse-parts`.

    Example:
        >>> from lathe.contrib import sparse
        >>> sparse.placeholder((4, 5), name="A").data.op.name
        'A_data'
    """
