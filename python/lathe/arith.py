"""Integer analysis: simplification, proofs, bounds, regions."""

import contextlib

from . import _core, _ffi

_get = _ffi.get


class Analyzer(_core.Object):
    """What is known of variables, and what follows from it. One thread at a time.

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
        """`var` lies in a Range, or has the value of an expression."""
        _get("arith.bind")(self, var, expr)

    def simplify(self, expr):
        """An equal expression, usually a smaller one."""
        return _get("arith.simplify")(self, expr)

    rewrite_simplify = canonical_simplify = simplify

    def can_prove(self, condition):
        """Does the condition surely hold? False: it is not proved."""
        return _get("arith.can_prove")(self, condition)

    def can_prove_equal(self, lhs, rhs):
        """Are two expressions surely equal?"""
        return _get("arith.can_prove_equal")(self, lhs, rhs)

    def const_int_bound(self, expr):
        """A ConstIntBound: the least and greatest value."""
        return ConstIntBound(*_get("arith.const_bound")(self, expr))

    def modular_set(self, expr):
        """A ModularSet: what the value is modulo a number."""
        return ModularSet(*_get("arith.modular")(self, expr))

    def int_set(self, expr, dom_map):
        """An IntervalSet that holds every value when the variables run over their ranges."""
        return _interval(_get("arith.eval_set")(self, expr, _pairs(dom_map)))

    def constraint_scope(self, constraint):
        """`with analyzer.constraint_scope(i < 8):` within it, the condition holds."""
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
    """min_value and max_value: int, or None where there is no bound.

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
    """Values coeff * k + base.

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
    """The integers in [min_value, max_value]; None is no bound; `is_nothing` for the empty set.

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
    """The values of `var` for which `cond` surely holds, whatever others do in their ranges.

    Args:
        var: a Var.
        cond: a condition.
        relax_ranges: {Var: Range}.

    Example:
        >>> import lathe
        >>> i = lathe.te.var("i")
        >>> lathe.arith.deduce_bound(i, i * 2 < 10).max_value
        4
    """
    return _interval(_get("arith.deduce_bound")(Analyzer(), var, cond, _pairs(relax_ranges or {})))


def detect_linear_equation(expr, var_list):
    """[coefficients..., base] of an expression linear in the variables; [] where it is not.

    Example:
        >>> import lathe
        >>> i, j = lathe.te.var("i"), lathe.te.var("j")
        >>> [int(part) for part in lathe.arith.detect_linear_equation(i * 4 + j + 7, [i, j])]
        [4, 1, 7]
    """
    return list(_get("arith.detect_linear_equation")(Analyzer(), expr, list(var_list)))


def detect_clip_bound(expr, var_list):
    """[min, max, min, max, ...]: what a condition confines each variable to; [] where unknown.

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
    """The IntervalSet of an expression (or Range) when variables run over ranges.

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
    """What a region covers at most when variables run over ranges: an IntervalSet for each axis.

    Args:
        region: a list of Ranges (or expressions).
        var_dom: {Var: Range}.
        predicate: a condition that holds for the variables; None for none.

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
