"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError

class BijectiveLayout:
    """A mapping between two layouts of the same axes.

    Raises:
        LatheError: `layout-pair`: the layouts have different axes.

    Example:
        >>> from lathe import tir
        >>> pack = tir.bijective_layout("NCHW", "NCHW16c")
        >>> [int(n) for n in pack.forward_shape((1, 32, 7, 7))]
        [1, 2, 7, 7, 16]
        >>> [int(n) for n in pack.forward_index((0, 19, 1, 2))]
        [0, 1, 1, 2, 3]
        >>> [int(n) for n in pack.backward_shape((1, 2, 7, 7, 16))]
        [1, 32, 7, 7]
    """
    def __repr__(self) -> str: ...
    def backward_index(self, index: Any) -> Any: ...
    def backward_shape(self, shape: Any) -> Any: ...
    def forward_index(self, index: Any) -> Any: ...
    def forward_shape(self, shape: Any) -> Any: ...
    def __init__(self, src_layout: Any, dst_layout: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class Layout:
    """An order of axes. A capital letter is an axis; a number and a small letter its inner part: "NCHW16c".

    Raises:
        LatheError: `layout-text`: the text is no layout.

    Example:
        >>> from lathe import tir
        >>> layout = tir.layout("NCHW16c")
        >>> layout.name, len(layout), layout.index_of("c"), layout.factor_of("C"), "W" in layout
        ('NCHW16c', 5, 4, 16, True)
    """
    def __contains__(self, axis: Any) -> Any: ...
    def __eq__(self, other: Any) -> Any: ...  # type: ignore[override]
    def __getitem__(self, index: Any) -> Any: ...
    def __len__(self) -> int: ...
    def __repr__(self) -> str: ...
    def __str__(self) -> str: ...
    def factor_of(self, axis: Any) -> Any: ...
    def index_of(self, axis: Any) -> Any: ...
    def __init__(self, name: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def bijective_layout(src_layout: Any, dst_layout: Any) -> Any:
    """A BijectiveLayout between two layouts, which are texts or Layouts.

    Example:
        >>> from lathe import tir
        >>> tir.bijective_layout("NCHW", "NHWC")
        BijectiveLayout(NCHW -> NHWC)
    """

def layout(layout_str: Any) -> Any:
    """A Layout for its text.

    Example:
        >>> from lathe import tir
        >>> tir.layout("NHWC").index_of("C")
        3
    """
