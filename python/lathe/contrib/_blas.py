"""A BLAS library on this machine, and products of matrices that compiled code has it compute."""

import ctypes
import ctypes.util
import functools
import glob
import os

from .. import te, tir
from ..error import LatheError, LatheTypeError
from ..runtime import register_func

_ROW_MAJOR, _AS_IT_IS, _TRANSPOSED = 101, 111, 112
_LETTERS = {"float32": ("s", ctypes.c_float), "float64": ("d", ctypes.c_double)}


class Library:
    """A library with the C interface of BLAS.

    Args:
        path: the shared library.
        prefix, suffix: what its names have around "cblas_sgemm". Names that end in "64_" take 64-bit sizes.
    """

    def __init__(self, path, prefix="", suffix=""):
        self.path, self._prefix, self._suffix = path, prefix, suffix
        self._library = ctypes.CDLL(path)
        self._size = ctypes.c_int64 if suffix.startswith("64") else ctypes.c_int

    def has(self, name):
        """Is there a function of this name?"""
        return hasattr(self._library, self._prefix + name + self._suffix)

    def product(self, a, b, c, transposed_a, transposed_b):
        """c = a b for contiguous NumPy matrices of one element type."""
        if self.has("dnnl_sgemm"):
            self._product_by_dnnl(a, b, c, transposed_a, transposed_b)
            return
        letter, number = _LETTERS[str(c.dtype)]
        function = getattr(self._library, f"{self._prefix}cblas_{letter}gemm{self._suffix}")
        depth = a.shape[0] if transposed_a else a.shape[1]
        size = self._size
        function(ctypes.c_int(_ROW_MAJOR), ctypes.c_int(_TRANSPOSED if transposed_a else _AS_IT_IS),
                 ctypes.c_int(_TRANSPOSED if transposed_b else _AS_IT_IS), size(c.shape[0]), size(c.shape[1]),
                 size(depth), number(1), a.ctypes.data_as(ctypes.c_void_p), size(max(a.shape[1], 1)),
                 b.ctypes.data_as(ctypes.c_void_p), size(max(b.shape[1], 1)), number(0),
                 c.ctypes.data_as(ctypes.c_void_p), size(max(c.shape[1], 1)))

    def _product_by_dnnl(self, a, b, c, transposed_a, transposed_b):
        size, real, pointer = ctypes.c_int64, ctypes.c_float, ctypes.c_void_p
        status = self._library.dnnl_sgemm(
            ctypes.c_char(b"T" if transposed_a else b"N"), ctypes.c_char(b"T" if transposed_b else b"N"),
            size(c.shape[0]), size(c.shape[1]), size(a.shape[0] if transposed_a else a.shape[1]), real(1),
            a.ctypes.data_as(pointer),
            size(a.shape[1]), b.ctypes.data_as(pointer), size(b.shape[1]), real(0), c.ctypes.data_as(pointer),
            size(c.shape[1]))
        if status != 0:
            raise LatheError(f"oneDNN cannot multiply these matrices: status {status}", "contrib-operands")


def _candidates(names):
    """(path, prefix, suffix) of libraries that may be there."""
    chosen = os.environ.get("LATHE_BLAS")
    if chosen:
        yield chosen, "", ""
    for name in names:
        found = ctypes.util.find_library(name)
        if found:
            yield found, "", ""
    if "openblas" in names:  # the library that comes with NumPy
        import numpy

        folder = os.path.dirname(os.path.dirname(numpy.__file__))
        for path in glob.glob(os.path.join(folder, "numpy.libs", "*openblas*")):
            yield path, "scipy_", "64_"
            yield path, "", "64_"


@functools.lru_cache(None)
def library(title, names):
    """The first Library of these names that has products of matrices.

    Raises:
        LatheError: `contrib-library`: there is none.
    """
    why = ""
    for path, prefix, suffix in _candidates(names):
        try:
            found = Library(path, prefix, suffix)
        except OSError as error:
            why += f"found: {error}\n"
            continue
        if found.has("dnnl_sgemm" if names[0] == "dnnl" else "cblas_sgemm"):
            return found
    raise LatheError(f"{title} is not installed on this machine", "contrib-library",
                     f"expected: a shared library, one of {', '.join(names)}\n{why}"
                     "help: install it, or set LATHE_BLAS to its path; topi.matmul needs no library")


def check(what, dtypes, lhs, rhs, transa, transb):
    """Refuses tensors that are not of the same rank and of one of these element types."""
    rank = len(lhs.shape) if len(lhs.shape) in (2, 3) else 2
    if lhs.dtype != rhs.dtype or lhs.dtype not in dtypes or len(lhs.shape) != rank or len(rhs.shape) != rank:
        raise LatheTypeError(f"{what} cannot multiply these tensors", "contrib-operands",
                             f"expected: two tensors of rank {rank}, both of one of {', '.join(dtypes)}\n"
                             f"found: {lhs.dtype}{list(lhs.shape)} and {rhs.dtype}{list(rhs.shape)}")
    check_shapes(what, lhs.shape, rhs.shape, transa, transb)


def check_shapes(what, lhs, rhs, transa, transb, made=None):
    """Refuses extents that do not fit, as far as they are known. `made`: the shape of the result."""
    left, right, result = ([getattr(n, "value", n) for n in one or ()] for one in (lhs, rhs, made))
    rows, depth = left[-2:][::-1] if transa else left[-2:]
    depth_too, columns = right[-2:][::-1] if transb else right[-2:]
    wrong = [(depth, depth_too)]
    if made is not None:
        wrong += [(rows, result[-2]), (columns, result[-1])]
        wrong += [(batch[0], result[0]) for batch in (left, right) if len(batch) == 3 and batch[0] != 1]
    elif len(left) == 3 and 1 not in (left[0], right[0]):
        wrong.append((left[0], right[0]))
    if any(isinstance(a, int) and isinstance(b, int) and a != b for a, b in wrong):
        turned = " and ".join(name for name, is_so in (("transa", transa), ("transb", transb)) if is_so)
        into = f", into {result}" if made is not None else ""
        raise LatheTypeError(
            f"{what} cannot multiply matrices of these shapes", "contrib-operands",
            "expected: (rows, depth) and (depth, columns) of the same depth; batches of the same size, or of 1\n"
            f"found: {left} and {right}{into}{', with ' + turned if turned else ''}")


def extern_product(function, lhs, rhs, transa, transb, dtype, attrs):
    """An extern operation that calls the packed function `function`: lhs, rhs, the result, transa, transb."""
    rank = len(lhs.shape)
    rows, columns = lhs.shape[-1 if transa else -2], rhs.shape[-2 if transb else -1]
    batch = list((rhs if rank == 3 and getattr(lhs.shape[0], "value", lhs.shape[0]) == 1 else lhs).shape[:-2])
    return te.extern(
        (*batch, rows, columns), [lhs, rhs],
        lambda ins, outs: tir.call_packed(function, ins[0], ins[1], outs[0], int(transa), int(transb)),
        dtype=dtype, name="C", **attrs)


def _product(title, names, lhs, rhs, transa, transb, attrs):
    check(title, tuple(_LETTERS), lhs, rhs, transa, transb)
    if library(title, names).has("dnnl_sgemm") and lhs.dtype != "float32":
        raise LatheTypeError(f"{title} multiplies float32 only", "contrib-operands", f"found: {lhs.dtype}")
    return extern_product(_registered(title, names), lhs, rhs, transa, transb, lhs.dtype, attrs)


_MATMUL = """The product of two matrices.

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
        >>> from lathe.contrib import TITLE
        >>> A, B = te.placeholder((2, 3), name="A"), te.placeholder((3, 4), name="B")
        >>> TITLE.matmul(A, B).shape    # doctest: +SKIP
        (2, 4)
        >>> try:
        ...     TITLE.matmul(B, A)
        ... except lathe.LatheError as error:
        ...     print(error.name)    # 4 columns, but 2 rows
        contrib-operands
    """

_BATCH_MATMUL = """The products of two batches of matrices, one after the other.

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
        >>> from lathe.contrib import TITLE
        >>> A, B = te.placeholder((5, 2, 3), name="A"), te.placeholder((6, 3, 4), name="B")
        >>> TITLE.batch_matmul(A, te.placeholder((1, 3, 4), name="W")).shape    # doctest: +SKIP
        (5, 2, 4)
        >>> try:
        ...     TITLE.batch_matmul(A, B)
        ... except lathe.LatheError as error:
        ...     print(error.name)    # batches of 5 and of 6
        contrib-operands
    """


def functions_of(title, names):
    """(matmul, batch_matmul): what the module `contrib.<title>` offers.

    Args:
        title: the module's name.
        names: the names of the libraries that it can use, the best first.
    """
    def matmul(lhs, rhs, transa=False, transb=False, **kwargs):
        return _product(title, names, lhs, rhs, transa, transb, kwargs)

    def batch_matmul(lhs, rhs, transa=False, transb=False, iterative=False, **kwargs):
        return _product(title, names, lhs, rhs, transa, transb, kwargs)

    for one, doc in ((matmul, _MATMUL), (batch_matmul, _BATCH_MATMUL)):
        one.__doc__ = doc.replace("TITLE", title)
        one.__module__, one.__qualname__ = f"{__package__}.{title}", one.__name__
    return matmul, batch_matmul


@functools.lru_cache(None)
def _registered(title, names):
    """The name of the packed function that compiled code calls."""
    found, name = library(title, names), f"lathe.contrib.{title}.matmul"

    def run(a, b, c, transposed_a, transposed_b):
        import numpy as np

        check_shapes(title, a.shape, b.shape, transposed_a, transposed_b, c.shape)
        left, right, made = a.numpy(), b.numpy(), np.empty(c.shape, c.dtype)
        if made.ndim == 2:
            found.product(left, right, made, transposed_a, transposed_b)
        else:
            for one in range(made.shape[0]):
                of_lhs, of_rhs = (part[0 if part.shape[0] == 1 else one] for part in (left, right))
                found.product(of_lhs, of_rhs, made[one], transposed_a, transposed_b)
        c.copyfrom(made)

    register_func(name, run, override=True)
    return name
