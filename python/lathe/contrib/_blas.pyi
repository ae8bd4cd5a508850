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

def matmul(title: Any, names: Any, lhs: Any, rhs: Any, transa: Any, transb: Any, attrs: Any) -> Any:
    """An extern operation: the product of two matrices, or of batches of them, by a library."""
