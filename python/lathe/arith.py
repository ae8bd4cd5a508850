"""Integer analysis: simplification, proofs, bounds, regions."""

import contextlib

from . import _core, _ffi

_get = _ffi.get


class Analyzer(_core.Object):
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

    __slots__ = ()

    def __new__(cls):
        return _get("arith.analyzer")()

    def bind(self, var, expr):
        """Records that `var` lies in a Range, or equals an expression."""
        _get("arith.bind")(self, var, expr)

    def simplify(self, expr):
        """An equal expression, usually a smaller one."""
        return _get("arith.simplify")(self, expr)

    rewrite_simplify = canonical_simplify = simplify

    def can_prove(self, condition):
        """Is the condition proved to hold? False means only that no proof was found."""
        return _get("arith.can_prove")(self, condition)

    def can_prove_equal(self, lhs, rhs):
        """Are two expressions proved to be equal?"""
        return _get("arith.can_prove_equal")(self, lhs, rhs)

    def const_int_bound(self, expr):
        """A ConstIntBound: the least and greatest value of an expression."""
        return ConstIntBound(*_get("arith.const_bound")(self, expr))

    def modular_set(self, expr):
        """A ModularSet: the value of an expression modulo a number."""
        return ModularSet(*_get("arith.modular")(self, expr))

    def int_set(self, expr, dom_map):
        """An IntervalSet with every value of `expr` when variables run over their ranges."""
        return _interval(_get("arith.eval_set")(self, expr, _pairs(dom_map)))

    def constraint_scope(self, constraint):
        """`with analyzer.constraint_scope(i < 8):` within it, the condition is known to hold."""
        return _Scope(self, constraint)


class _Scope:
    def __init__(self, analyzer, condition):
        self._analyzer, self._condition = analyzer, condition

    def __enter__(self):
        _get("arith.enter")(self._analyzer, self._condition)
        return self._analyzer

    def __exit__(self, *exc):
        _get("arith.exit")(self._analyzer)


_core.register_class(1028, Analyzer)


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

    def __init__(self, min_value, max_value):
        self.min_value, self.max_value = min_value, max_value

    def __repr__(self):
        return f"ConstIntBound[{self.min_value}, {self.max_value}]"


class ModularSet:
    """The set of values coeff * k + base, for integers k.

    Example:
        >>> import lathe
        >>> i = lathe.te.var("i")
        >>> lathe.arith.Analyzer().modular_set(i * 4 + 3)
        ModularSet(4 * k + 3)
    """

    def __init__(self, coeff, base):
        self.coeff, self.base = coeff, base

    def __repr__(self):
        return f"ModularSet({self.coeff} * k + {self.base})"


class IntervalSet:
    """The integers in [min_value, max_value]. None means no bound. `is_nothing`: the set is empty.

    Example:
        >>> import lathe
        >>> lathe.arith.IntervalSet().is_everything
        True
    """

    def __init__(self, min_value=None, max_value=None, is_nothing=False):
        self.min_value, self.max_value, self.is_nothing = min_value, max_value, is_nothing

    @property
    def is_everything(self):
        """Is there no bound at all?"""
        return not self.is_nothing and self.min_value is None and self.max_value is None

    def __repr__(self):
        return "IntervalSet(nothing)" if self.is_nothing else (
            f"IntervalSet[{self.min_value}, {self.max_value}]")


def _interval(ends):
    return IntervalSet(*ends) if ends else IntervalSet(is_nothing=True)


def _pairs(domains):
    return [[k, v] for k, v in domains.items()]


def deduce_bound(var, cond, relax_ranges=None):
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
    return _interval(_get("arith.deduce_bound")(Analyzer(), var, cond, _pairs(relax_ranges or {})))


def detect_linear_equation(expr, var_list):
    """[coefficients..., base] of an expression that is linear in the variables; [] if it is not.

    Example:
        >>> import lathe
        >>> i, j = lathe.te.var("i"), lathe.te.var("j")
        >>> [int(part) for part in lathe.arith.detect_linear_equation(i * 4 + j + 7, [i, j])]
        [4, 1, 7]
    """
    return list(_get("arith.detect_linear_equation")(Analyzer(), expr, list(var_list)))


def detect_clip_bound(expr, var_list):
    """[min, max, min, max, ...]: the bounds that a condition sets for each variable; [] if unknown.

    Example:
        >>> import lathe
        >>> from lathe import tir
        >>> i = lathe.te.var("i")
        >>> [int(end) for end in lathe.arith.detect_clip_bound(tir.all(i >= 2, i < 8), [i])]
        [2, 7]
    """
    found = _get("arith.detect_clip_bound")(Analyzer(), expr, list(var_list))
    return [end for ends in found for end in (ends or (None, None))]


def eval_range(expr, domains):
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
    return _interval(_get("arith.eval_set")(Analyzer(), expr, _pairs(domains)))


def estimate_region_upper_bound(region, var_dom, predicate=None):
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
    analyzer = Analyzer()
    pairs = _pairs(var_dom)
    holds = contextlib.nullcontext() if predicate is None else analyzer.constraint_scope(predicate)
    with holds:
        return [_interval(_get("arith.eval_set")(analyzer, axis, pairs)) for axis in region]
