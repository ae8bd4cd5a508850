"""Sparse matrices in compressed rows: the elements that are not zero, row by row."""

from .. import nd, te
from ..error import LatheTypeError, LatheValueError


def _csr(stype):
    if stype != "csr":
        raise LatheValueError(f"there are no sparse matrices of kind `{stype}`", "sparse-kind", 'expected: "csr"')


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

    stype = "csr"

    def __init__(self, arg1, device=None, shape=None):
        import numpy as np

        if isinstance(arg1, (tuple, list)) and len(arg1) == 3:
            if shape is None:
                raise LatheValueError("the shape of a sparse matrix is not known", "sparse-parts",
                                      "help: shape=(rows, columns)")
            parts = [part.numpy() if hasattr(part, "numpy") else np.asarray(part) for part in arg1]
            data, indices, indptr = parts[0], parts[1].astype("int32"), parts[2].astype("int32")
            fits = len(indptr) == shape[0] + 1 and len(data) == len(indices) == indptr[-1] and indptr[0] == 0
            within = not len(indices) or 0 <= indices.min() <= indices.max() < shape[1]
            if not fits or not within or (np.diff(indptr) < 0).any():
                raise LatheValueError("the parts of a sparse matrix do not fit each other", "sparse-parts",
                                      f"expected: parts of a matrix {tuple(shape)}\nfound: {len(data)} elements, "
                                      f"{len(indices)} columns, {len(indptr)} ends of rows")
            rows = np.repeat(np.arange(shape[0]), np.diff(indptr))
            _, first = np.unique(np.stack([rows, indices], 1), axis=0, return_index=True)
            if len(first) != len(indices):
                at = np.setdiff1d(np.arange(len(indices)), first)[0]
                raise LatheValueError("a row of a sparse matrix has a column twice", "sparse-parts",
                                      "expected: each column at most once in a row\n"
                                      f"found: column {indices[at]} of row {rows[at]} again\n"
                                      "help: add such elements first")
        else:
            dense = arg1.numpy() if hasattr(arg1, "numpy") else np.asarray(arg1)
            if dense.ndim != 2 or shape is not None and tuple(shape) != dense.shape:
                raise LatheValueError("a sparse matrix must be made of a matrix", "sparse-parts",
                                      f"expected: an array of the shape {tuple(shape or ('rows', 'columns'))}\n"
                                      f"found: an array of the shape {dense.shape}")
            shape, (rows, indices) = dense.shape, dense.nonzero()
            data, indices = dense[rows, indices], indices.astype("int32")
            indptr = np.searchsorted(rows, np.arange(shape[0] + 1)).astype("int32")
        self.data, self.indices, self.indptr = (nd.array(part, device) for part in (data, indices, indptr))
        self.shape = tuple(int(n) for n in shape)

    @property
    def dtype(self):
        """The element type."""
        return self.data.dtype

    def numpy(self):
        """The matrix with its zeros, as a NumPy array."""
        import numpy as np

        made, indptr = np.zeros(self.shape, self.dtype), self.indptr.numpy()
        rows = np.repeat(np.arange(self.shape[0]), np.diff(indptr))
        made[rows, self.indices.numpy()] = self.data.numpy()
        return made

    asnumpy = numpy

    def __repr__(self):
        return f"<CSRNDArray {self.dtype}{list(self.shape)}, {self.data.shape[0]} elements that are not 0>"


def array(source_array, device=None, shape=None, stype="csr"):
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
    _csr(stype)
    return CSRNDArray(source_array, device, shape)


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

    stype = "csr"

    def __init__(self, shape, nonzeros, dtype, name):
        if len(shape) != 2:
            raise LatheTypeError("a sparse matrix must have two extents", "sparse-parts",
                                 f"expected: (rows, columns)\nfound: {tuple(shape)}")
        self.shape, self.dtype, self.name = tuple(shape), dtype or "float32", name
        self.data = te.placeholder((nonzeros,), self.dtype, name=name + "_data")
        self.indices = te.placeholder((nonzeros,), "int32", name=name + "_indices")
        self.indptr = te.placeholder((shape[0] + 1,), "int32", name=name + "_indptr")


def placeholder(shape, nonzeros=None, dtype=None, name="placeholder", stype=None):
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
    _csr(stype or "csr")
    return CSRPlaceholderOp(shape, te.size_var(name + "_nonzeros") if nonzeros is None else nonzeros, dtype, name)
