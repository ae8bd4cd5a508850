"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe._core import Object as Object
from lathe._int_solver import IntConstraints as IntConstraints
from lathe._int_solver import IntConstraintsTransform as IntConstraintsTransform
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError
from lathe._regions import domain_touched as domain_touched
from lathe._regions import estimate_region_lower_bound as estimate_region_lower_bound
from lathe._int_solver import solve_inequalities_as_condition as solve_inequalities_as_condition
from lathe._int_solver import solve_linear_inequalities as solve_linear_inequalities

class ConstIntBound:
    """The bounds min_value and max_value: ints. NEG_INF and POS_INF mean that there is no bound.

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

class IntSet:
    """Base of sets of integers, of which there is one kind: IntervalSet.

    Example:
        >>> import lathe
        >>> lathe.arith.IntSet.single_point(3), lathe.arith.IntSet.vector(lathe.tir.Ramp(0, 1, 4))
        (IntervalSet[3, 3], IntervalSet[0, 3])
    """
    @staticmethod
    def single_point(point: Any) -> Any: ...
    @staticmethod
    def vector(vec: Any) -> Any: ...
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
    def simplify(self, expr: Any, steps: Any = ...) -> Any: ...
    def update(self, var: Any, info: Any, override: Any = ...) -> Any: ...
    ...

class IntervalSet(IntSet):
    """The integers in [min_value, max_value]. None means no bound. `is_nothing`: the set is empty.

    Example:
        >>> import lathe
        >>> lathe.arith.IntervalSet().is_everything, lathe.arith.IntervalSet(0, 3).is_everything()
        (True, False)
    """
    def __repr__(self) -> str: ...
    @property
    def is_everything(self) -> Any:
        """Is there no bound at all?"""

    def __init__(self, min_value: Any = ..., max_value: Any = ..., is_nothing: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def deduce_bound(var: Any, cond: Any, hint_map: Any = ..., relax_map: Any = ...) -> Any:
    """The values of `var` for which `cond` surely holds, for all values of the variables of `relax_map`.

    Args:
        var: a Var.
        cond: a condition.
        hint_map: {Var: Range or IntervalSet}: what is known of variables that the bounds may contain.
        relax_map: {Var: Range or IntervalSet}: variables that the bounds must not contain.

    Raises:
        LatheError: `arith-domain`: an interval without one of its ends.

    Example:
        >>> import lathe
        >>> i, j = lathe.te.var("i"), lathe.te.var("j")
        >>> lathe.arith.deduce_bound(i, i * 2 < 10).max_value
        4
        >>> lathe.arith.deduce_bound(i, i + j < 10, {}, {j: lathe.arith.IntervalSet(0, 3)}).max_value
        6
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

def neg_inf() -> Any:
    """The end of an interval that has no lower bound: None.

    Example:
        >>> import lathe
        >>> lathe.arith.IntervalSet(lathe.arith.neg_inf(), 0)
        IntervalSet[None, 0]
    """

def pos_inf() -> Any:
    """The end of an interval that has no upper bound: None.

    Example:
        >>> import lathe
        >>> lathe.arith.IntervalSet(0, lathe.arith.pos_inf()).max_value == lathe.arith.pos_inf()
        True
    """
