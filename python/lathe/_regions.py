"""What regions surely cover, and what statements touch."""

from . import _nodes
from ._int_solver import _condition_or_node, _expr, _most, _simple


def estimate_region_lower_bound(region, var_dom, predicate=None):
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
    from .arith import IntervalSet, detect_linear_equation

    if predicate is not None and getattr(_condition_or_node(predicate), "value", None) != 1:
        return None
    made, met = [], set()
    for axis in region:
        variables = list(var_dom)
        found = detect_linear_equation(axis.min, variables)
        extent = getattr(_expr(axis.extent), "value", None)
        if not found or extent is None:
            return None
        used, low = [], found[-1]
        for var, factor in zip(variables, found[:-1]):
            factor, count = getattr(factor, "value", None), getattr(_expr(var_dom[var].extent), "value", None)
            if factor is None or count is None:
                return None
            if factor == 0 or count == 1:
                low = low + var_dom[var].min * factor
                continue
            if var in met:
                return None
            met.add(var)
            used.append((abs(factor), count))
            low = low + (var_dom[var].min if factor > 0 else var_dom[var].min + (count - 1)) * factor
        for factor, count in sorted(used):
            if factor > extent:
                return None
            extent += factor * (count - 1)
        low = _simple(low)
        made.append(IntervalSet(_expr(low), _expr(_simple(_expr(low) + (extent - 1)))))
    return made


def domain_touched(stmt, buffer, consider_loads=True, consider_stores=True):
    """The ranges of a buffer's elements that a statement reads or writes.

    Args:
        stmt: a statement; its loops have known ranges.
        buffer: a Buffer.
        consider_loads, consider_stores: which accesses count.

    Returns:
        A list with a Range for each axis; [] if nothing touches the buffer. Indices whose values
        are not known give the whole axis.

    Example:
        >>> import lathe
        >>> from lathe import te, tir
        >>> A, i = tir.decl_buffer((100,), "float32", "A"), te.var("i")
        >>> loop = tir.For(i, 0, 8, "serial", tir.Evaluate(A.vload([i * 2 + 1])))
        >>> lathe.arith.domain_touched(loop, A)
        [range(1, extent=15)]
    """
    from .arith import eval_range
    from .tir import stmt_functor

    loops, accesses = {}, []

    def visit(node):
        kind = type(node).__name__
        if kind == "For":
            loops[node.var] = _nodes.CLASSES["Range"].from_min_extent(node.min, node.extent)
        elif kind == "Load" and consider_loads and node.source == buffer or \
                kind == "Store" and consider_stores and node.buffer == buffer:
            accesses.append(list(node.indices))

    stmt_functor.post_order_visit(stmt, visit)
    made = []
    for axis, extent in enumerate(buffer.shape if accesses else ()):
        sets = [eval_range(indices[axis], loops) for indices in accesses]
        if any(one.min_value is None or one.max_value is None for one in sets):
            made.append(_nodes.CLASSES["Range"].from_min_extent(_expr(0), extent))
            continue
        low = _most([_simple(_expr(one.min_value)) for one in sets], min)
        high = _most([_simple(_expr(one.max_value)) for one in sets], max)
        made.append(_nodes.CLASSES["Range"].from_min_extent(_expr(low), _expr(_simple(_expr(high) - _expr(low) + 1))))
    return made
