"""Written by python/stubs/make_stubs.py."""

from typing import Any, Sequence
import lathe._ops as _ops
from lathe._ops import ExprOperators as ExprOperators

class TensorSlice(ExprOperators):
    """A tensor with its first indices given: A[i] of a matrix A. A[i][j] is an element.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((4, 4), name="A")
        >>> row = A[1]
        >>> te.compute((4,), lambda j: row[j], name="row").dtype
        'float32'
    """
    def __getitem__(self, index: _ops.Value | Sequence[_ops.Value]) -> TensorSlice: ...
    def __lathe_value__(self) -> Any: ...
    def __repr__(self) -> str: ...
    @property
    def dtype(self) -> str:
        """The element type."""

    def __init__(self, tensor: Any, indices: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...
