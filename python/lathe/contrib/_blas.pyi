"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheError as LatheError
from lathe.error import LatheTypeError as LatheTypeError
from lathe.runtime.packed_func import register_func as register_func
from lathe import te as te
from lathe import tir as tir

class Library:
    """A library with the C interface of BLAS.

    Args:
        path: the shared library.
        prefix, suffix: what its names have around "cblas_sgemm". Names that end in "64_" take 64-bit sizes.
    """
    def has(self, name: Any) -> Any: ...
    def product(self, a: Any, b: Any, c: Any, transposed_a: Any, transposed_b: Any) -> Any: ...
    def __init__(self, path: Any, prefix: Any = ..., suffix: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def check(what: Any, dtypes: Any, lhs: Any, rhs: Any, transa: Any, transb: Any) -> Any:
    """Refuses tensors that are not of the same rank and of one of these element types."""

def check_shapes(what: Any, lhs: Any, rhs: Any, transa: Any, transb: Any, made: Any = ...) -> Any:
    """Refuses extents that do not fit, as far as they are known. `made`: the shape of the result."""

def extern_product(function: Any, lhs: Any, rhs: Any, transa: Any, transb: Any, dtype: Any, attrs: Any) -> Any:
    """An extern operation that calls the packed function `function`: lhs, rhs, the result, transa, transb."""

def functions_of(title: Any, names: Any) -> Any:
    """(matmul, batch_matmul): what the module `contrib.<title>` offers.

    Args:
        title: the module's name.
        names: the names of the libraries that it can use, the best first.
    """
