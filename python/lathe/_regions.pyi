"""Written by python/stubs/make_stubs.py."""

from typing import Any

def domain_touched(stmt: Any, buffer: Any, consider_loads: Any = ..., consider_stores: Any = ...) -> Any:
    """The ranges of a buffer's elements that a statement reads or writes.

    Args:
        stmt: a statement; its loops have known ranges.
        buffer: a Buffer.
        consider_loads, consider_stores: which accesses count.

    Returns:
        A list with a Range for each axis, in variables from outside the statement; [] if nothing touches
        the buffer. Indices whose values are not known give the whole axis.

    Example:
        >>> import lathe
        >>> from lathe import te, tir
        >>> A, i = tir.decl_buffer((100,), "float32", "A"), te.var("i")
        >>> loop = tir.For(i, 0, 8, "serial", tir.Evaluate(A.vload([i * 2 + 1])))
        >>> lathe.arith.domain_touched(loop, A)
        [range(1, extent=15)]
    """

def estimate_region_lower_bound(region: Any, var_dom: Any, predicate: Any = ...) -> Any:
    """What a region surely covers when variables run over ranges: an IntervalSet for each axis.

    Args:
        region: a list of Ranges with constant extents.
        var_dom: {Var: Range}, with constant extents.
        predicate: a condition on the variables; only None and what is always true are understood.

    Returns:
        A list; None if it is not known that a box is covered: indices that are not linear, leave gaps,
        or depend on each other, or a predicate.

    Example:
        >>> import lathe
        >>> from lathe.ir import Range
        >>> i = lathe.te.var("i")
        >>> covered = lambda step: lathe.arith.estimate_region_lower_bound(
        ...     [Range.from_min_extent(i * step, 4)], {i: Range(0, 8)})
        >>> covered(4), covered(5)
        ([IntervalSet[0, 31]], None)
    """
