"""Matching: a search through all ways in which a pattern can match an expression."""

from .. import analysis
from .. import expr as _e
from . import _values as values
from ._patterns import (CallPattern, FunctionPattern, IfPattern, LetPattern, TupleGetItemPattern,
                       TuplePattern, pattern_of)

_INNER = (CallPattern, FunctionPattern, IfPattern, LetPattern, TupleGetItemPattern, TuplePattern)


class Users:
    """Who uses each expression of a graph."""

    def __init__(self, root):
        self._users = {}
        self.order = analysis.post_order(root)
        for item in self.order:
            for part in analysis._inner(item):
                self._users.setdefault(id(part), []).append(item)

    def of(self, expr):
        """The expressions that have `expr` as an operand."""
        return self._users.get(id(expr), ())


class Match:
    """A match: what each pattern matched.

    Attributes:
        root: the expression.
        node_map: {pattern: [expressions]}.
        inner: {id: expression} of what is computed within the match: the root, and all between it
            and the leaves of the pattern.
    """

    def __init__(self, root, bound, paths):
        self.root, self.node_map = root, {pattern: list(found) for pattern, found in bound.items()}
        self.inner = {id(root): root}
        for pattern, found in bound.items():
            if isinstance(pattern, _INNER):
                self.inner.update((id(expr), expr) for expr in found)
        self.inner.update(paths)


class Matcher:
    """One search. `ways(pattern, expr)` yields once for each way; `bound` has what is bound then."""

    def __init__(self, users):
        self.users, self.bound, self.paths = users, {}, {}

    def find(self, pattern, expr):
        """The first Match, or None."""
        for _ in self.ways(pattern, expr):
            return Match(expr, self.bound, self.paths)
        return None

    def ways(self, pattern, expr):
        """See the class."""
        before = self.bound.get(pattern)
        if before is not None:
            if values.same_leaf(before[0], expr):
                yield
            return
        self.bound[pattern] = [expr]
        try:
            yield from pattern._ways(self, expr)
        finally:
            del self.bound[pattern]

    def all_of(self, patterns, exprs, first=0):
        """The ways in which all patterns match their expressions."""
        if first == len(patterns):
            yield
            return
        for _ in self.ways(patterns[first], exprs[first]):
            yield from self.all_of(patterns, exprs, first + 1)

    def dominated(self, pattern, child):
        """The ways in which `child` is computed from one parent (DominatorPattern)."""
        for parent in self._parents(pattern, child):
            between = self._between(pattern.path, child, parent)
            if between is None:
                continue
            allowed = {id(child), *between}
            if any(id(user) not in allowed for item in (parent, *between.values())
                   for user in self.users.of(item)):
                continue
            for _ in self.ways(pattern.parent, parent):
                yield from self._with_path(pattern.path, between)

    def _with_path(self, path, between):
        added = {key: item for key, item in between.items() if key not in self.paths}
        is_new = path not in self.bound
        self.paths.update(added)
        if is_new:
            self.bound[path] = list(between.values())
        try:
            yield
        finally:
            if is_new:
                del self.bound[path]
            for key in added:
                del self.paths[key]

    def _parents(self, pattern, child):
        """What `child` depends on and the parent's pattern matches, the nearest first."""
        work, seen = [*_operands(child)], set()
        while work:
            item = work.pop(0)
            if id(item) in seen:
                continue
            seen.add(id(item))
            if any(True for _ in self.ways(pattern.parent, item)):
                yield item
            work.extend(_operands(item))

    def _between(self, path, child, parent):
        """{id: expression} of all between child and parent; None if one does not match `path`."""
        found, work = {}, [child]
        while work:
            item = work.pop()
            operands = _operands(item)
            if not operands:
                return None  # computed from something else than the parent
            for operand in operands:
                if operand is parent or id(operand) in found:
                    continue
                if Matcher(self.users).find(path, operand) is None:
                    return None
                found[id(operand)] = operand
                work.append(operand)
        return found


def _operands(expr):
    """The operands of the data flow."""
    if isinstance(expr, _e.Call):
        return expr.args
    return analysis._inner(expr)


def match(pattern, expr):
    """Does `pattern` match `expr`?

    Example:
        >>> from lathe import relay
        >>> from lathe.relay.dataflow_pattern import is_op, match, wildcard
        >>> x = relay.var("x", shape=(2,))
        >>> match(is_op("nn.relu")(wildcard()), relay.nn.relu(x))
        True
    """
    expr = _e.as_expr(expr)
    return Matcher(Users(expr)).find(pattern_of(pattern), expr) is not None
