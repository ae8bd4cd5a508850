"""What regions surely cover, and what statements touch."""

import collections

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
    from .tir import functor

    definitions, accesses = [], []

    def visit(node):
        kind = type(node).__name__
        if kind in ("For", "LetStmt", "Let"):
            definitions.append(node)
        elif kind == "Load" and consider_loads and node.source == buffer or \
                kind == "Store" and consider_stores and node.buffer == buffer:
            accesses.append(list(node.indices))

    functor.post_order_visit(stmt, visit)
    scope = _Scope(stmt, definitions[::-1])  # outer ones first
    made = []
    for axis, extent in enumerate(buffer.shape if accesses else ()):
        ends = [scope.ends(indices[axis]) for indices in accesses]
        if None in ends:
            made.append(_nodes.CLASSES["Range"].from_min_extent(_expr(0), extent))
            continue
        low, high = _most([_simple(one) for one, _ in ends], min), _most([_simple(one) for _, one in ends], max)
        made.append(_nodes.CLASSES["Range"].from_min_extent(_expr(low), _expr(_simple(_expr(high) - _expr(low) + 1))))
    return made


class _Scope:
    """What is known of the variables that a statement defines.

    Args:
        stmt: the statement.
        definitions: its loops and bindings, each behind those around it.
    """

    def __init__(self, stmt, definitions):
        from .tir import functor

        self._outside, self._loops = set(functor.free_vars(stmt)), {}
        count = collections.Counter(node.var for node in definitions)
        definitions = [node for node in definitions if count[node.var] == 1]  # others are not known
        self._values = {node.var: node.value for node in definitions if type(node).__name__ != "For"}
        for node in definitions:
            if type(node).__name__ != "For":
                continue
            first, last = self.ends(node.min), self.ends(node.min + node.extent - 1)
            if first and last:
                low, high = _expr(first[0]), _expr(last[1])
                self._loops[node.var] = _nodes.CLASSES["Range"].from_min_extent(low, _expr(_simple(high - low + 1)))

    def _without_bindings(self, expr):
        from .tir import functor

        while True:
            expr = functor.ir_transform(expr, None, lambda node: node.body, ["Let"])
            if not any(var in self._values for var in functor.free_vars(expr)):
                return expr
            expr = functor.substitute(expr, self._values)

    def ends(self, expr):
        """The least and the greatest value in variables from outside the statement; None if not known."""
        from .arith import eval_range
        from .tir import functor

        found = eval_range(self._without_bindings(_expr(expr)), self._loops)
        if found.min_value is None or found.max_value is None:
            return None
        ends = [_expr(_simple(_expr(one))) for one in (found.min_value, found.max_value)]
        loads = []
        for one in ends:
            functor.post_order_visit(one, lambda node: loads.append(node) if isinstance(
                node, _nodes.CLASSES["Load"]) else None)
        inside = {var for one in ends for var in functor.free_vars(one)} - self._outside
        return None if loads or inside else ends
