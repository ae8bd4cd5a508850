"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe._core import Object as Object

class ConstIntBound:
    """The bounds min_value and max_value: each an int, or None if there is no bound.

    Example:
        >>> import lathe
        >>> i = lathe.te.var("i")
        >>> analyzer = lathe.arith.Analyzer()
        >>> analyzer.bind(i, lathe.ir.Range(0, 8))
        >>> analyzer.const_int_bound(i * 2)
        ConstIntBound[0, 14]
    """
    def __repr__(self) -> str: ...
    def __init__(self, min_value: Any, max_value: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class IntervalSet:
    """The integers in [min_value, max_value]. None means no bound. `is_nothing`: the set is empty.

    Example:
        >>> import lathe
        >>> lathe.arith.IntervalSet().is_everything
        True
    """
    def __repr__(self) -> str: ...
    @property
    def is_everything(self) -> Any:
        """Is there no bound at all?"""

    def __init__(self, min_value: Any = ..., max_value: Any = ..., is_nothing: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class ModularSet:
    """The set of values coeff * k + base, for integers k.

    Example:
        >>> import lathe
        >>> i = lathe.te.var("i")
        >>> lathe.arith.Analyzer().modular_set(i * 4 + 3)
        ModularSet(4 * k + 3)
    """
    def __repr__(self) -> str: ...
    def __init__(self, coeff: Any, base: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class Analyzer(Object):
    """Facts about variables, and conclusions from them.

    Only one thread may use an Analyzer at a time.

    Example:
        >>> import lathe
        >>> from lathe import te
        >>> i = te.var("i")
        >>> analyzer = lathe.arith.Analyzer()
        >>> analyzer.bind(i, lathe.ir.Range(0, 32))
        >>> int(analyzer.simplify(i // 32))
        0
    """
    @staticmethod
    def __new__(cls) -> Any: ...
    def bind(self, var: Any, expr: Any) -> Any: ...
    def can_prove(self, condition: Any) -> Any: ...
    def can_prove_equal(self, lhs: Any, rhs: Any) -> Any: ...
    def canonical_simplify(self, expr: Any) -> Any: ...
    def const_int_bound(self, expr: Any) -> Any: ...
    def constraint_scope(self, constraint: Any) -> Any: ...
    def int_set(self, expr: Any, dom_map: Any) -> Any: ...
    def modular_set(self, expr: Any) -> Any: ...
    def rewrite_simplify(self, expr: Any) -> Any: ...
    def simplify(self, expr: Any) -> Any: ...
    ...

def deduce_bound(var: Any, cond: Any, relax_ranges: Any = ...) -> Any:
    """The values of `var` for which `cond` surely holds, for all values of the other variables.

    Args:
        var: a Var.
        cond: a condition.
        relax_ranges: {Var: Range} of the other variables.

    Example:
        >>> import lathe
        >>> i = lathe.te.var("i")
        >>> lathe.arith.deduce_bound(i, i * 2 < 10).max_value
        4
    """

def detect_clip_bound(expr: Any, var_list: Any) -> Any:
    """[min, max, min, max, ...]: the bounds that a condition sets for each variable; [] if unknown.

    Example:
        >>> import lathe
        >>> from lathe import tir
        >>> i = lathe.te.var("i")
        >>> [int(end) for end in lathe.arith.detect_clip_bound(tir.all(i >= 2, i < 8), [i])]
        [2, 7]
    """

def detect_linear_equation(expr: Any, var_list: Any) -> Any:
    """[coefficients..., base] of an expression that is linear in the variables; [] if it is not.

    Example:
        >>> import lathe
        >>> i, j = lathe.te.var("i"), lathe.te.var("j")
        >>> [int(part) for part in lathe.arith.detect_linear_equation(i * 4 + j + 7, [i, j])]
        [4, 1, 7]
    """

def estimate_region_upper_bound(region: Any, var_dom: Any, predicate: Any = ...) -> Any:
    """The most that a region covers when variables run over ranges: an IntervalSet for each axis.

    Args:
        region: a list of Ranges (or expressions).
        var_dom: {Var: Range}.
        predicate: a condition that holds for the variables; None if there is none.

    Example:
        >>> import lathe
        >>> from lathe.ir import Range
        >>> i = lathe.te.var("i")
        >>> lathe.arith.estimate_region_upper_bound([Range.from_min_extent(i * 4, 4)], {i: Range(0, 8)})
        [IntervalSet[0, 31]]
    """

def eval_range(expr: Any, domains: Any) -> Any:
    """The IntervalSet of an expression (or Range) when the variables run over their ranges.

    Args:
        expr: an expression or Range.
        domains: {Var: Range}.

    Example:
        >>> import lathe
        >>> i = lathe.te.var("i")
        >>> lathe.arith.eval_range(i * 4 + 1, {i: lathe.ir.Range(0, 8)})
        IntervalSet[1, 29]
    """
