"""The parts of an annotated function that other code generators take.

A part, here a region, is what lies between `annotation.compiler_begin` and `annotation.compiler_end`
of one code generator. Regions are in the outermost body of a function; bodies within (branches,
functions) are left alone.
"""

from ..error import LatheValueError
from . import _bindings, analysis
from . import expr as _e

BEGIN, END = _e.Op("annotation.compiler_begin"), _e.Op("annotation.compiler_end")


def is_mark(expr, mark):
    """Is it a call of BEGIN, or of END?"""
    return isinstance(expr, _e.Call) and expr.op == mark


def outermost(func):
    """The ids of the expressions that belong to no inner body."""
    found, work = set(), [func.body]
    while work:
        item = work.pop()
        if id(item) not in found:
            found.add(id(item))
            work.extend(_bindings._operands(item))
    return found


class Region:
    """What one code generator takes.

    Attributes:
        compiler: its name.
        inside: {id: expression}, without the marks.
        begins, ends: the marks, in the order of the function.
    """

    def __init__(self, compiler):
        self.compiler, self.inside, self.begins, self.ends = compiler, {}, [], []


class Regions:
    """The regions of a function; they can be joined.

    Args:
        func: a relay.Function without lets.

    Raises:
        LatheValueError: `relay-annotation`: marks of two code generators around one expression.
    """

    def __init__(self, func):
        self.order = analysis.post_order(func)
        self._place = {id(item): i for i, item in enumerate(self.order)}
        self._parent = {}  # id of an expression inside of a region -> another one of it, or itself
        self._compiler = {}  # id of a root -> its code generator
        self._read_by = {}  # id of a BEGIN -> {an expression inside of each region that reads it}
        outer = outermost(func)
        for item in self.order:
            if is_mark(item, END) and id(item) in outer:
                self._fill(item)
        self._find_dependencies()

    def _fill(self, end):
        """What is between an END and the BEGINs before it is in one region."""
        compiler = end.attrs["compiler"]
        work, reached = [(end.args[0], end)], set()
        while work:
            item, reader = work.pop()
            if is_mark(item, BEGIN) or is_mark(item, END):
                self._check(compiler, item, reader)
                if item.op == END:
                    raise LatheValueError("a marked part reads another one without compiler_begin",
                                          "relay-annotation", f"found: two parts of `{compiler}`")
                self._read_by.setdefault(id(item), set()).add(id(end.args[0]))
                continue
            # What has no operands is in no region: several may read it.
            if isinstance(item, (_e.Var, _e.Constant, _e.GlobalVar, _e.Function)) or id(item) in reached:
                continue
            if not isinstance(item, (_e.Call, _e.Tuple, _e.TupleGetItem)):
                raise LatheValueError(f"a marked part has what is no call: {type(item).__name__}",
                                      "relay-annotation", "expected: calls of operators and functions, tuples")
            reached.add(id(item))
            known = id(item) in self._parent
            self._join(item, end.args[0], compiler)
            if not known:
                work.extend((part, item) for part in _bindings._operands(item))

    @staticmethod
    def _check(compiler, mark, reader):
        found = mark.attrs["compiler"]
        if found != compiler:
            what = getattr(getattr(reader, "op", None), "name", type(reader).__name__)
            raise LatheValueError(f"two code generators have marks around `{what}`",
                                  "relay-annotation", f"expected: `{compiler}`\nfound: `{found}`\n"
                                  "help: compiler_end goes behind what compiler_begin is in front of")

    def _join(self, one, other, compiler):
        for item in (one, other):
            self._parent.setdefault(id(item), id(item))
        a, b = self.root(id(one)), self.root(id(other))
        if self._compiler.get(a, compiler) != compiler or self._compiler.get(b, compiler) != compiler:
            raise LatheValueError("two code generators have marks around one expression",
                                  "relay-annotation", f"found: `{self._compiler.get(a)}` and `{compiler}`")
        self._parent[a] = b
        self._compiler[b] = compiler

    def root(self, key):
        """What stands for the region that the expression with this id is in, or its own id."""
        seen = []
        while self._parent.get(key, key) != key:
            seen.append(key)
            key = self._parent[key]
        for one in seen:
            self._parent[one] = key
        return key

    def _readers(self, begin):
        """What stands for the regions that read a BEGIN."""
        return {self.root(inside) for inside in self._read_by.get(id(begin), ())}

    def _node(self, item):
        """What stands for an expression among regions and all other expressions."""
        if is_mark(item, BEGIN) and len(self._readers(item)) == 1:
            return next(iter(self._readers(item)))
        if is_mark(item, END) and id(item.args[0]) in self._parent:
            return self.root(id(item.args[0]))
        return self.root(id(item))

    def _find_dependencies(self):
        self._needs, self._first, self._last = {}, {}, {}
        for place, item in enumerate(self.order):
            node = self._node(item)
            needs = self._needs.setdefault(node, set())
            needs.update(self._node(part) for part in analysis._inner(item))
            needs.discard(node)
            self._first.setdefault(node, place)
            self._last[node] = place

    def _reaches(self, late, early):
        """Does `late` need `early` through something that is neither of them?"""
        first, seen = self._first[early], {late, early}
        work = [self.root(one) for one in self._needs[late]]
        while work:
            node = work.pop()
            if node in seen or self._last[node] < first:
                continue
            seen.add(node)
            needed = [self.root(one) for one in self._needs[node]]
            if early in needed:
                return True
            work.extend(needed)
        return False

    def merge(self):
        """Joins each region with those of its code generator that it reads, unless it would read itself."""
        begins = [item for item in self.order if is_mark(item, BEGIN) and is_mark(item.args[0], END)]
        changed = True
        while changed:
            changed = False
            for reader, writer in [(reader, self._node(begin.args[0])) for begin in begins
                                   for reader in self._readers(begin)]:
                reader, writer = self.root(reader), self.root(writer)
                if reader == writer or self._compiler.get(reader) != self._compiler.get(writer) or \
                        self._reaches(reader, writer):
                    continue
                self._parent[writer] = reader
                self._needs[reader] = {self.root(one) for one in self._needs[reader] | self._needs[writer]}
                self._needs[reader].discard(reader)
                self._first[reader] = min(self._first[reader], self._first[writer])
                self._last[reader] = max(self._last[reader], self._last[writer])
                changed = True

    def is_within(self, begin):
        """Does a BEGIN read an END of its own region?"""
        end = begin.args[0]
        return is_mark(end, END) and self._readers(begin) == {self._node(end)}

    def regions(self):
        """The regions, in the order of their first results."""
        found = {}
        for item in self.order:
            if is_mark(item, END) and id(item.args[0]) in self._parent:
                root = self.root(id(item.args[0]))
                found.setdefault(root, Region(self._compiler[root])).ends.append(item)
        for item in self.order:
            if id(item) in self._parent and self.root(id(item)) in found:
                found[self.root(id(item))].inside[id(item)] = item
            for root in self._readers(item) & found.keys():
                found[root].begins.append(item)
        return list(found.values())
