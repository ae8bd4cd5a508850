"""Systems of linear inequalities over integers, and what regions surely cover."""

import math

from . import _nodes
from .error import LatheTypeError, LatheValueError
from .ir import structural_equal, structural_hash


class IntConstraints:
    """Variables, what is known of their ranges, and conditions on them.

    Attributes:
        variables: a list of Var.
        ranges: {Var: Range}. A range may contain variables that come later in `variables`.
        relations: conditions that no range says.

    Example:
        >>> import lathe
        >>> x = lathe.te.var("x")
        >>> lathe.arith.IntConstraints([x], {}, [x > 3]).relations
        [x > 3]
    """

    def __init__(self, variables, ranges, relations):
        self.variables, self.ranges, self.relations = list(variables or ()), dict(ranges or {}), list(relations or ())

    def __repr__(self):
        return f"IntConstraints({self.variables}, {self.ranges}, {self.relations})"


class IntConstraintsTransform:
    """Constraints in other variables: those of `dst` begin at 0.

    Attributes:
        src, dst: IntConstraints.
        src_to_dst: {variable of src: expression of those of dst}.
        dst_to_src: {variable of dst: expression of those of src}.

    Example:
        >>> import lathe
        >>> x = lathe.te.var("x")
        >>> made = lathe.arith.solve_linear_inequalities([x >= 3, x < 7], [x], deskew_range=True)
        >>> int(made.dst.ranges[made.dst.variables[0]].extent), made.src_to_dst[x]
        (4, x_shift + 3)
    """

    def __init__(self, src, dst, src_to_dst, dst_to_src):
        self.src, self.dst, self.src_to_dst, self.dst_to_src = src, dst, src_to_dst, dst_to_src


class _Row:
    """sum of coefficients * variables + base <= 0. `base` is an int or an expression."""

    def __init__(self, coefficients, base):
        self.coefficients, self.base = coefficients, base

    def __add__(self, other):
        return _Row([a + b for a, b in zip(self.coefficients, other.coefficients)], _sum(self.base, other.base))

    def times(self, factor):
        """The row for a positive factor."""
        return _Row([factor * c for c in self.coefficients], self.base * factor)

    def tight(self):
        """The same condition with the least integers."""
        common = math.gcd(*self.coefficients)
        if common <= 1 or not isinstance(self.base, int):
            return self
        return _Row([c // common for c in self.coefficients], -((-self.base) // common))


def _sum(a, b):
    made = a + b
    return made if isinstance(made, int) else _simple(made)


def _simple(expr):
    from .arith import Analyzer

    found = Analyzer().simplify(expr)
    value = getattr(found, "value", None)
    return value if type(value) is int else found


def _rows(conditions, variables):
    """The rows of comparisons of linear expressions; conditions within `and` count alone."""
    rows, work = [], list(conditions)
    while work:
        one = work.pop(0)
        one = one.asnode() if hasattr(one, "asnode") else one
        kind = type(one).__name__
        if kind == "And":
            work = [one.a, one.b, *work]
            continue
        if kind not in ("LT", "LE", "GT", "GE", "EQ"):
            one = _condition_or_node(one)
            kind = type(one).__name__
            if kind == "IntImm" and one.dtype == "bool":  # a comparison of constants
                rows += [] if one.value else [_Row([0] * len(variables), 1)]
                continue
            one = _condition(one)
        if kind == "LT":
            rows.append(_row(one.a - one.b + 1, variables, one))
        elif kind == "GT":
            rows.append(_row(one.b - one.a + 1, variables, one))
        elif kind == "LE":
            rows.append(_row(one.a - one.b, variables, one))
        elif kind == "GE":
            rows.append(_row(one.b - one.a, variables, one))
        else:
            rows += [_row(one.a - one.b, variables, one), _row(one.b - one.a, variables, one)]
    return rows


def _condition(one):
    """A comparison's node. `a == b` of two expressions is an object that may also be a truth value."""
    from . import _ffi

    made = _ffi.get("tir.convert")(one)
    if type(made).__name__ not in ("LT", "LE", "GT", "GE", "EQ"):
        raise LatheTypeError("an inequality must compare two expressions", "arith-inequality",
                             f"expected: <, <=, >, >=, ==, or `tir.all` of these\nfound: {made}")
    return made


def _row(expr, variables, condition):
    from .arith import detect_linear_equation

    found = detect_linear_equation(expr, variables)
    numbers = [getattr(part, "value", None) for part in found[:-1]]
    if not found or any(type(n) is not int for n in numbers):
        raise LatheValueError("an inequality must be linear in the variables, by constant factors", "arith-inequality",
                              f"found: {condition}")
    return _Row(numbers, _simple(found[-1])).tight()


def _without_copies(rows):
    """The rows without those that others imply by their constants."""
    numbers, others, kept = {}, {}, []
    for row in rows:
        factors = tuple(row.coefficients)
        if isinstance(row.base, int):
            at = numbers.setdefault(factors, len(kept))
            if at == len(kept):
                kept.append(row)
            elif row.base > kept[at].base:
                kept[at] = row
            continue
        alike = others.setdefault((factors, structural_hash(row.base)), [])
        if not any(structural_equal(row.base, old.base) for old in alike):
            alike.append(row)
            kept.append(row)
    return kept


def _eliminated(conditions, variables, ranges):
    """([(variable, its lower ends, its upper ends)], [conditions without variables]).

    Variables are eliminated one after the other (Fourier and Motzkin); the ends of a variable contain
    those that follow it.
    """
    rows = _rows(conditions, variables)
    for i, var in enumerate(variables):
        domain = ranges.get(var)
        if domain is not None:
            unit = [int(j == i) for j in range(len(variables))]
            rows.append(_Row([-n for n in unit], _simple(domain.min)))
            rows.append(_Row(unit, _simple(-(domain.min + domain.extent - 1))))
    solved = []
    for i, var in enumerate(variables):
        rows = _without_copies(rows)
        above = [row for row in rows if row.coefficients[i] > 0]
        below = [row for row in rows if row.coefficients[i] < 0]
        solved.append((var, [_end(row, i, variables) for row in below], [_end(row, i, variables) for row in above]))
        rows = [row for row in rows if row.coefficients[i] == 0]
        for high in above:
            for low in below:
                p, q = high.coefficients[i], -low.coefficients[i]
                common = math.gcd(p, q)
                rows.append((high.times(q // common) + low.times(p // common)).tight())
    return solved, [row.base for row in _without_copies(rows)]


def _end(row, index, variables):
    """The least or greatest value of a variable that a row admits."""
    rest = row.base
    for i, (factor, var) in enumerate(zip(row.coefficients, variables)):
        if i != index and factor:
            rest = rest + var * factor
    factor = row.coefficients[index]
    if factor > 0:  # factor * v <= -rest
        return _simple(_floordiv(-1 * rest, factor))
    return _simple(-1 * _floordiv(-1 * rest, -factor))  # v >= ceil(rest / -factor)


def _floordiv(a, b):
    return a if b == 1 else a // b


def _most(ends, take):
    made = ends[0]
    for one in ends[1:]:
        made = take(made, one) if isinstance(made, int) and isinstance(one, int) else \
            _simple(_nodes.CLASSES["Max" if take is max else "Min"](*map(_expr, (made, one))))
    return made


def _expr(value):
    return _nodes.CLASSES["IntImm"]("int32", value) if isinstance(value, int) else value


def solve_linear_inequalities(equations, variables=None, ranges=None, deskew_range=False):
    """The ranges of variables that linear inequalities over integers admit.

    Args:
        equations: conditions, or an IntConstraints, whose variables and ranges count, too.
        variables: a list of Var, in the order in which they are eliminated; by default those of the
            conditions. Other variables are parameters.
        ranges: {Var: Range}, which hold beside the conditions.
        deskew_range: give an IntConstraintsTransform, whose new variables have ranges from 0.

    Returns:
        An IntConstraints: all integers that satisfy the conditions are in the ranges, and satisfy the
        relations. A variable without one of its ends has no range, and its other end is a relation. If
        nothing satisfies the conditions, and no parameter decides it, the only relation is False.

    Raises:
        LatheError: `arith-inequality`: a condition is no comparison, or not linear.

    Example:
        >>> import lathe
        >>> x, y = lathe.te.var("x"), lathe.te.var("y")
        >>> made = lathe.arith.solve_linear_inequalities([x + y < 10, x >= 2, y >= 3], [x, y])
        >>> made.ranges[x].min, made.ranges[x].extent, made.ranges[y].min, made.ranges[y].extent
        (2, 8 - y, 3, 5)
    """
    if isinstance(equations, IntConstraints):
        variables, ranges = variables or equations.variables, {**equations.ranges, **dict(ranges or {})}
        equations = equations.relations
    equations = list(equations) if isinstance(equations, (list, tuple)) else [equations]
    variables = list(variables) if variables else _variables(equations)
    solved, rest = _eliminated(equations, variables, dict(ranges or {}))
    found, relations = {}, []
    for var, lower, upper in solved:
        if lower and upper:
            low, high = _most(lower, max), _most(upper, min)
            extent = _expr(_simple(_expr(high) - _expr(low) + 1))
            found[var] = _nodes.CLASSES["Range"].from_min_extent(_expr(low), extent)
        else:
            relations += [var >= _expr(end) for end in lower] + [var <= _expr(end) for end in upper]
    relations += [_expr(base) <= 0 for base in rest if not isinstance(base, int)]
    if any(isinstance(base, int) and base > 0 for base in rest):
        relations = [_nodes.CLASSES["IntImm"]("bool", 0)]
    made = IntConstraints(variables, found, relations)
    return _deskewed(made) if deskew_range else made


def _deskewed(made):
    """The same constraints in variables whose ranges begin at 0."""
    from . import te
    from .tir import stmt_functor

    new, back, forth, ranges = [], {}, {}, {}
    for var in reversed(made.variables):
        domain = made.ranges.get(var)
        if domain is None:
            new.append(var)
            back[var] = forth[var] = var
            continue
        low, extent = (stmt_functor.substitute(part, back) for part in (domain.min, domain.extent))
        if getattr(extent, "value", None) == 1:
            back[var] = low
            continue
        shifted = te.var(f"{var.name}_shift", var.dtype)
        new.append(shifted)
        back[var], forth[shifted] = _expr(_simple(shifted + low)), _expr(_simple(var - domain.min))
        ranges[shifted] = _nodes.CLASSES["Range"].from_min_extent(0, extent)
    relations = [stmt_functor.substitute(_condition(one), back) for one in made.relations]
    return IntConstraintsTransform(made, IntConstraints(new[::-1], ranges, relations), back, forth)


def _variables(conditions):
    from .tir import stmt_functor

    found = {}
    for one in conditions:
        stmt_functor.post_order_visit(_condition_or_node(one), lambda node: found.setdefault(node) if isinstance(
            node, _nodes.CLASSES["Var"]) else None)
    return list(found)


def _condition_or_node(one):
    from . import _ffi

    return _ffi.get("tir.convert")(one)


def solve_inequalities_as_condition(variables, ranges, inequalities):
    """What `solve_linear_inequalities` finds, as a list of conditions.

    Args:
        variables: a list of Var.
        ranges: {Var: Range}.
        inequalities: conditions.

    Example:
        >>> import lathe
        >>> x = lathe.te.var("x")
        >>> lathe.arith.solve_inequalities_as_condition([x], {}, [x * 2 >= 5, x < 7])
        [x >= 3, x <= 6]
    """
    solved, rest = _eliminated(list(inequalities), list(variables), dict(ranges or {}))
    if any(isinstance(base, int) and base > 0 for base in rest):
        return [_nodes.CLASSES["IntImm"]("bool", 0)]
    made = [condition for var, lower, upper in solved
            for condition in [*(var >= _expr(end) for end in lower), *(var <= _expr(end) for end in upper)]]
    return made + [_expr(base) <= 0 for base in rest if not isinstance(base, int)]
