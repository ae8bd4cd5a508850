"""Integer analysis: simplification, proofs, bounds, regions."""

import contextlib

from . import _core, _ffi
from ._nodes import CLASSES as _CLASSES
from .error import LatheTypeError, LatheValueError

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

    def update(self, var, info, override=False):
        """Records what is known of `var`, beside what is known already.

        Args:
            var: a Var.
            info: a ConstIntBound, a ModularSet or an IntervalSet.
            override: forget what `bind` said of the variable first; for ConstIntBound with both ends.

        Raises:
            LatheError: `arith-info-type`: `info` is something else.
        """
        if not isinstance(info, (ConstIntBound, ModularSet, IntervalSet)):
            raise LatheTypeError("what is known of a variable must be a bound or a set", "arith-info-type",
                                 "expected: a ConstIntBound, a ModularSet or an IntervalSet\n"
                                 f"found: {type(info).__name__}")
        if isinstance(info, ModularSet):
            if info.coeff != 0:
                _get("arith.assume")(self, (var % info.coeff).equal(info.base % info.coeff))
            else:
                _get("arith.assume")(self, var.equal(info.base))
            return
        low, high = (None if end in (ConstIntBound.NEG_INF, ConstIntBound.POS_INF) else end
                     for end in (info.min_value, info.max_value))
        if override and low is not None and high is not None:
            self.bind(var, _CLASSES["Range"].from_min_extent(low, high - low + 1))
            return
        if low is not None:
            _get("arith.assume")(self, var >= low)
        if high is not None:
            _get("arith.assume")(self, var <= high)

    def simplify(self, expr, steps=2):
        """An equal expression, usually a smaller one. `steps` has no effect: it simplifies fully."""
        return _get("arith.simplify")(self, expr)

    def rewrite_simplify(self, expr):
        """The same as `simplify`."""
        return self.simplify(expr)

    def canonical_simplify(self, expr):
        """The same as `simplify`."""
        return self.simplify(expr)

    def can_prove(self, condition):
        """Is the condition proved to hold? False means only that no proof was found."""
        return _get("arith.can_prove")(self, condition)

    def can_prove_equal(self, lhs, rhs):
        """Are two expressions proved to be equal?"""
        return _get("arith.can_prove_equal")(self, lhs, rhs)

    def const_int_bound(self, expr):
        """A ConstIntBound: the least and greatest value of an expression."""
        low, high = _get("arith.const_bound")(self, expr)
        return ConstIntBound(ConstIntBound.NEG_INF if low is None else low,
                             ConstIntBound.POS_INF if high is None else high)

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
    """The bounds min_value and max_value: ints. NEG_INF and POS_INF mean that there is no bound.

    Example:
        >>> import lathe
        >>> i = lathe.te.var("i")
        >>> analyzer = lathe.arith.Analyzer()
        >>> analyzer.bind(i, lathe.ir.Range(0, 8))
        >>> analyzer.const_int_bound(i * 2)
        ConstIntBound[0, 14]
    """

    POS_INF = (1 << 63) - 1
    NEG_INF = -POS_INF

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


class _Fact(int):
    """A truth value that may also be called, as TVM's methods are."""

    def __call__(self):
        return bool(self)

    def __repr__(self):
        return repr(bool(self))


class IntSet:
    """Base of sets of integers, of which there is one kind: IntervalSet.

    Example:
        >>> import lathe
        >>> lathe.arith.IntSet.single_point(3), lathe.arith.IntSet.vector(lathe.tir.Ramp(0, 1, 4))
        (IntervalSet[3, 3], IntervalSet[0, 3])
    """

    @staticmethod
    def vector(vec):
        """The interval with all lanes of an integer vector: a Ramp by a constant stride, or a Broadcast."""
        if isinstance(vec, _CLASSES["Broadcast"]):
            return IntervalSet(vec.value, vec.value)
        if not isinstance(vec, _CLASSES["Ramp"]) or not isinstance(vec.stride, _CLASSES["IntImm"]):
            raise LatheTypeError("the lanes of this expression are not known", "arith-vector-type",
                                 f"expected: a Ramp by a constant stride, or a Broadcast\nfound: {vec}")
        lanes = int(vec.dtype.rpartition("x")[2])
        ends = [vec.base, Analyzer().simplify(vec.base + vec.stride * (lanes - 1))]
        return IntervalSet(*(ends if int(vec.stride) >= 0 else ends[::-1]))

    @staticmethod
    def single_point(point):
        """The set of one integer."""
        return IntervalSet(point, point)


class IntervalSet(IntSet):
    """The integers in [min_value, max_value]. None means no bound. `is_nothing`: the set is empty.

    Example:
        >>> import lathe
        >>> lathe.arith.IntervalSet().is_everything, lathe.arith.IntervalSet(0, 3).is_everything()
        (True, False)
    """

    def __init__(self, min_value=None, max_value=None, is_nothing=False):
        self.min_value, self.max_value = min_value, max_value
        self.is_nothing = _Fact(bool(is_nothing))

    @property
    def is_everything(self):
        """Is there no bound at all?"""
        return _Fact(not self.is_nothing and self.min_value is None and self.max_value is None)

    def __repr__(self):
        return "IntervalSet(nothing)" if self.is_nothing else (
            f"IntervalSet[{self.min_value}, {self.max_value}]")


def pos_inf():
    """The end of an interval that has no upper bound: None.

    Example:
        >>> import lathe
        >>> lathe.arith.IntervalSet(0, lathe.arith.pos_inf()).max_value == lathe.arith.pos_inf()
        True
    """


def neg_inf():
    """The end of an interval that has no lower bound: None.

    Example:
        >>> import lathe
        >>> lathe.arith.IntervalSet(lathe.arith.neg_inf(), 0)
        IntervalSet[None, 0]
    """


def _interval(ends):
    return IntervalSet(*ends) if ends else IntervalSet(is_nothing=True)


def _pairs(domains):
    return [[k, _range_of(v)] for k, v in dict(domains or {}).items()]


def _range_of(domain):
    if not isinstance(domain, IntervalSet):
        return domain
    if domain.min_value is None or domain.max_value is None:
        raise LatheValueError("the interval of a variable must have both ends", "arith-domain",
                              f"found: {domain}\nhelp: leave a variable without bounds out")
    return _CLASSES["Range"].from_min_extent(domain.min_value, domain.max_value - domain.min_value + 1)


def deduce_bound(var, cond, hint_map=None, relax_map=None):
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
    analyzer = Analyzer()
    relaxed = _pairs(relax_map)
    for known, domain in dict(hint_map or {}).items():
        if not any(known.same_as(other) for other, _ in relaxed) and not known.same_as(var):
            analyzer.bind(known, _range_of(domain))
    return _interval(_get("arith.deduce_bound")(analyzer, var, cond, relaxed))


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


from ._int_solver import (IntConstraints, IntConstraintsTransform, solve_inequalities_as_condition,  # noqa: E402,F401
                          solve_linear_inequalities)
from ._regions import domain_touched, estimate_region_lower_bound  # noqa: E402,F401
