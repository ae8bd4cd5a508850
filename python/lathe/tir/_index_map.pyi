"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError
from lathe import arith as arith

class IndexMap:
    """A map from indices to indices.

    Args:
        initial_indices: the variables that stand for the indices of the first space.
        final_indices: expressions of these: the indices in the other space.

    Example:
        >>> from lathe import tir
        >>> blocks = tir.IndexMap.from_func(lambda i: [i // 4, i % 4])
        >>> [int(n) for n in blocks.map_indices([13])], [int(n) for n in blocks.map_shape([16])]
        ([3, 1], [4, 4])
        >>> back = blocks.inverse([16])
        >>> int(back.map_indices([3, 1])[0])
        13
    """
    def __repr__(self) -> str: ...
    @staticmethod
    def from_func(mapping_function: Any, ndim: Any = ...) -> Any: ...
    def inverse(self, shape: Any) -> Any: ...
    def is_equivalent_to(self, other_map: Any) -> Any: ...
    def map_indices(self, indices: Any) -> Any: ...
    def map_range(self, ranges: Any) -> Any: ...
    def map_shape(self, shape: Any) -> Any: ...
    def __init__(self, initial_indices: Any, final_indices: Any, inverse_index_map: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

CLASSES: Any
