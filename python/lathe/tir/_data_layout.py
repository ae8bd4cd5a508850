"""Layouts: how the axes of a tensor are ordered and split, as text ("NCHW16c"), and mappings between two of them."""

import re

from .. import _ffi
from ..error import LatheValueError

_PART = re.compile(r"([A-Z])|(\d+)([a-z])")


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

    def __init__(self, name):
        self.name = str(name)
        parts = list(_PART.finditer(self.name))
        if "".join(part.group() for part in parts) != self.name:
            raise LatheValueError(f"`{name}` is no layout", "layout-text",
                                  "expected: capital letters, and numbers with small letters for inner parts: NCHW16c")
        self.axes = [part.group(1) or part.group(3) for part in parts]
        self._factors = {part.group(3): int(part.group(2)) for part in parts if part.group(3)}
        lost = [axis for axis in self._factors if axis.upper() not in self.axes]
        if len(set(self.axes)) != len(self.axes) or lost:
            raise LatheValueError(f"`{name}` is no layout", "layout-text",
                                  f"found: an inner part without its axis: {lost[0]}" if lost else "found: an axis twice")

    def __str__(self):
        return self.name

    def __repr__(self):
        return f"Layout({self.name})"

    def __len__(self):
        return len(self.axes)

    def __contains__(self, axis):
        return axis in self.axes

    def __getitem__(self, index):
        return self.axes[index]

    def __eq__(self, other):
        return isinstance(other, (Layout, str)) and str(other) == self.name

    def __hash__(self):
        return hash(self.name)

    def index_of(self, axis):
        """The place of an axis; -1 if there is none."""
        return self.axes.index(axis) if axis in self.axes else -1

    def factor_of(self, axis):
        """The extent of the inner part of an axis; -1 if it is not split."""
        return self._factors.get(axis.lower(), -1)


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

    def __init__(self, src_layout, dst_layout):
        self.src_layout, self.dst_layout = layout(src_layout), layout(dst_layout)
        ours, theirs = ({a.upper() for a in one.axes} for one in (self.src_layout, self.dst_layout))
        if ours != theirs:
            raise LatheValueError("two layouts of different axes have no mapping", "layout-pair",
                                  f"found: {self.src_layout} and {self.dst_layout}")

    def forward_index(self, index):
        """The indices in the second layout."""
        return _mapped(self.src_layout, self.dst_layout, index, _index)

    def backward_index(self, index):
        """The indices in the first layout."""
        return _mapped(self.dst_layout, self.src_layout, index, _index)

    def forward_shape(self, shape):
        """The shape in the second layout."""
        return _mapped(self.src_layout, self.dst_layout, shape, _extent)

    def backward_shape(self, shape):
        """The shape in the first layout."""
        return _mapped(self.dst_layout, self.src_layout, shape, _extent)

    def __repr__(self):
        return f"BijectiveLayout({self.src_layout} -> {self.dst_layout})"


def _index(whole, factor, inner):
    return whole % factor if inner else whole // factor


def _extent(whole, factor, inner):
    return factor if inner else (whole + factor - 1) // factor


def _mapped(source, target, values, part):
    """What `values` (indices or extents) of one layout are in another."""
    values = list(values)
    if len(values) != len(source):
        raise LatheValueError(f"layout {source} has {len(source)} axes", "layout-rank", f"found: {len(values)} values")
    named = dict(zip(source.axes, values))
    made = []
    for axis in target.axes:
        whole, factor = named[axis.upper()], source.factor_of(axis)
        if factor != -1:
            whole = whole * factor + (named[axis.lower()] if part is _index else 0)
        factor = target.factor_of(axis)
        made.append(whole if factor == -1 else part(whole, factor, axis.islower()))
    from ..arith import Analyzer

    convert = _ffi.get("tir.convert")
    return [Analyzer().simplify(convert(one)) for one in made]


def layout(layout_str):
    """A Layout for its text.

    Example:
        >>> from lathe import tir
        >>> tir.layout("NHWC").index_of("C")
        3
    """
    return layout_str if isinstance(layout_str, Layout) else Layout(layout_str)


def bijective_layout(src_layout, dst_layout):
    """A BijectiveLayout between two layouts, which are texts or Layouts.

    Example:
        >>> from lathe import tir
        >>> tir.bijective_layout("NCHW", "NHWC")
        BijectiveLayout(NCHW -> NHWC)
    """
    return BijectiveLayout(src_layout, dst_layout)
