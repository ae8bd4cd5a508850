"""Maps between the index spaces of a tensor's layouts."""

import inspect

from .. import arith
from .._nodes import CLASSES
from ..error import LatheValueError
from ..te.operation import var as _var
from . import stmt_functor


def _simple(expr):
    return arith.Analyzer().simplify(CLASSES["IntImm"]("int32", expr) if isinstance(expr, int) else expr)


class IndexMap:
    """A map from indices to indices.

    Args:
        initial_indices: the variables that stand for the indices of the first space.
        final_indices: expressions of these: the indices in the other space.

    Example:
        >>> from lathe import tir
        >>> blocks = tir.IndexMap.from_func(lambda i: [i // 4, i % 4])
        >>> [int(n) for n in blocks.map_indices([13])], [int(n) for n in blocks.map_shape([16])]
        ([3, 1], [4, 4])
        >>> back = blocks.inverse([16])
        >>> int(back.map_indices([3, 1])[0])
        13
    """

    def __init__(self, initial_indices, final_indices, inverse_index_map=None):
        self.initial_indices, self.final_indices = list(initial_indices), list(final_indices)
        self._inverse = inverse_index_map

    @staticmethod
    def from_func(mapping_function, ndim=None):
        """The map that a function describes: indices -> a list of expressions.

        Args:
            mapping_function: takes one variable for each index; its parameters' names are theirs.
            ndim: how many indices `*indices` stands for.

        Raises:
            LatheValueError: `index-map-rank`: the function takes `*indices`, and `ndim` is not given.
        """
        names = []
        for param in inspect.signature(mapping_function).parameters.values():
            if param.kind is param.VAR_POSITIONAL:
                if ndim is None:
                    raise LatheValueError("the number of indices is not known", "index-map-rank",
                                          f"found: a function of *{param.name}\nhelp: ndim=2")
                names += [f"{param.name}_{i}" for i in range(ndim - len(names))]
            else:
                names.append(param.name)
        indices = [_var(name) for name in names]
        made = mapping_function(*indices)
        return IndexMap(indices, made if isinstance(made, (list, tuple)) else [made])

    def map_indices(self, indices):
        """The indices in the other space: simplified expressions."""
        self._check(indices, "indices")
        binds = dict(zip(self.initial_indices, map(_simple, indices)))
        return [_simple(stmt_functor.substitute(_simple(one), binds)) for one in self.final_indices]

    def map_range(self, ranges):
        """The Ranges that the indices in the other space run over, for Ranges of the first."""
        self._check(ranges, "ranges")
        domains = dict(zip(self.initial_indices, ranges))
        sets = [arith.eval_range(_simple(one), domains) for one in self.final_indices]
        return [CLASSES["Range"].from_min_extent(one.min_value, _simple(one.max_value - one.min_value + 1))
                for one in sets]

    def map_shape(self, shape):
        """The extents of the other space, for those of the first."""
        self._check(shape, "extents")
        ranges = self.map_range([CLASSES["Range"].from_min_extent(0, extent) for extent in shape])
        return [_simple(one.min + one.extent) for one in ranges]

    def _check(self, given, what):
        if len(given) != len(self.initial_indices):
            raise LatheValueError(f"the map takes another number of {what}", "index-map-rank",
                                  f"expected: {len(self.initial_indices)}\nfound: {len(given)}")

    def is_equivalent_to(self, other_map):
        """Do both maps give equal indices?"""
        if len(self.initial_indices) != len(other_map.initial_indices) or \
                len(self.final_indices) != len(other_map.final_indices):
            return False
        theirs = other_map.map_indices(self.initial_indices)
        return all(arith.Analyzer().can_prove_equal(_simple(a), b) for a, b in zip(self.final_indices, theirs))

    def inverse(self, shape):
        """The map back, for a first space of these extents (ints, or Ranges from 0).

        Raises:
            LatheValueError: `index-map-inverse`: the map is not one to one, or not made of sums,
                products by constants, `//` and `%`.
        """
        if self._inverse is not None:
            return self._inverse
        extents = [int(_simple(getattr(one, "extent", one))) for one in shape]
        self._check(extents, "extents")
        digits = _Digits(dict(zip(self.initial_indices, extents)))
        back = [_var(f"axis{i}") for i in range(len(self.final_indices))]
        parts = [part for final, place in zip(self.final_indices, back)
                 for part in digits.placed(_simple(final), place)]
        return IndexMap(back, [_simple(digits.joined(var, parts)) for var in self.initial_indices],
                        inverse_index_map=self)

    def __repr__(self):
        return f"IndexMap({self.initial_indices} -> {self.final_indices})"


class _Digits:
    """Indices as numbers of several digits: a digit is (variable, its unit, its number of values)."""

    def __init__(self, extents):
        self.extents = extents

    @staticmethod
    def _wrong(expr, why):
        return LatheValueError("the map has no inverse that is known", "index-map-inverse", f"found: {expr}, {why}")

    def terms(self, expr):
        """[(factor, digit)] of a sum, the greatest factor first."""
        kind = type(expr).__name__
        if kind == "Var":
            if expr not in self.extents:
                raise self._wrong(expr, "which is no index")
            return [(1, (expr, 1, self.extents[expr]))] if self.extents[expr] > 1 else []
        if kind == "IntImm" and expr.value == 0:
            return []
        if kind == "Add":
            return sorted(self.terms(expr.a) + self.terms(expr.b), key=lambda term: -term[0])
        if kind == "Mul" and type(expr.b).__name__ == "IntImm":
            return [(factor * expr.b.value, digit) for factor, digit in self.terms(expr.a)]
        if kind in ("FloorDiv", "FloorMod") and type(expr.b).__name__ == "IntImm":
            return self._cut(self.terms(expr.a), expr.b.value, kind == "FloorDiv", expr)
        raise self._wrong(expr, "which is not made of sums, products by constants, // and %")

    def _cut(self, terms, by, high, expr):
        """The digits above (`high`) or below the unit `by`."""
        if by <= 0 or any(factor <= 0 for factor, _ in terms):
            raise self._wrong(expr, "which has a factor or divisor that is not positive")
        above, below = [], []
        for factor, (var, unit, count) in terms:
            if factor % by == 0:
                above.append((factor // by, (var, unit, count)))
            elif factor * count <= by:
                below.append((factor, (var, unit, count)))
            elif by % factor == 0 and (count * factor) % by == 0:
                part = by // factor
                above.append((1, (var, unit * part, count // part)))
                below.append((factor, (var, unit, part)))
            else:
                raise self._wrong(expr, "which cuts an index at no multiple of its parts")
        if sum(factor * (count - 1) for factor, (_, _, count) in below) >= by:
            raise self._wrong(expr, "whose parts may carry into one another")
        return sorted(above if high else below, key=lambda term: -term[0])

    def placed(self, final, place):
        """[(digit, the expression that gives it)] of an index of the other space."""
        made, unit = [], 1
        for factor, digit in reversed(self.terms(final)):
            if factor != unit:
                raise self._wrong(final, "which has gaps, or values twice")
            made.append((digit, (place // unit) % digit[2]))
            unit *= digit[2]
        if made:  # nothing is above the highest digit
            digit, unit = made[-1][0], unit // made[-1][0][2]
            made[-1] = (digit, place // unit)
        return made

    def joined(self, var, parts):
        """The variable as the sum of its digits, which must all be there once."""
        own = sorted(((digit, value) for digit, value in parts if digit[0].same_as(var)), key=lambda part: part[0][1])
        total, unit = 0, 1
        for (_, its_unit, count), value in own:
            if its_unit != unit:
                raise self._wrong(var, "of which a part is missing, or is there twice")
            total = value * unit + total
            unit *= count
        if unit != self.extents[var]:
            raise self._wrong(var, "of which a part is missing")
        return total
