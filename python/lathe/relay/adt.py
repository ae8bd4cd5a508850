"""Data types: constructors, patterns and `match`.

A value of a data type is made by one of its constructors and keeps that constructor's fields. A
definition with type variables stands for many data types: in a graph, a list of `float32[]` and a
list of `int32[3]` are two types.
"""

from .. import _nodes
from .._type_params import declared, variables
from ..error import LatheTypeError, LatheValueError
from . import expr as _e


def GlobalTypeVar(name_hint, kind=None):
    """The type of a data type's values, by its name.

    Args:
        name_hint: the data type's name.
        kind: without effect.

    Example:
        >>> from lathe import relay
        >>> relay.GlobalTypeVar("List")
        List
    """
    return _nodes.CLASSES["TypeRef"](str(name_hint))


class Constructor(_e.Expr):
    """A constructor of a data type. A call of it makes a value; without a call it is a function.

    Args:
        name_hint: its name, without dots.
        inputs: the types of the fields; they may name the data type itself.
        belong_to: the data type's type, a GlobalTypeVar.

    Attributes:
        tag: its number within the data type, or -1 before `TypeData` is made.

    Example:
        >>> from lathe import relay
        >>> maybe = relay.GlobalTypeVar("Maybe")
        >>> some = relay.Constructor("Some", [relay.scalar_type("float32")], maybe)
        >>> some
        Maybe.Some
    """

    __slots__ = ("name_hint", "inputs", "belong_to", "tag", "_data")

    def __init__(self, name_hint, inputs, belong_to):
        super().__init__()
        self.name_hint, self.inputs, self.belong_to = str(name_hint), list(inputs), belong_to
        self.tag, self._data = -1, None

    def __call__(self, *args):
        """A value that this constructor makes of the fields. If its data type has type variables, and the
        fields do not say which types they are, then `relay.Call(constructor, args, type_args=[...])` does.
        """
        return _e.Call(self, args)

    @property
    def full_name(self):
        """The data type's name, a dot and the constructor's."""
        return f"{self.belong_to.name}.{self.name_hint}"

    def as_function(self):
        """The constructor as a function of its fields."""
        params = [_e.Var(f"field{i}", one) for i, one in enumerate(self.inputs)]
        return _e.Function(params, _e.Call(self, params))

    def __str__(self):
        return self.full_name

    __repr__ = __str__


class TypeData:
    """The definition of a data type. `mod[type_var] = type_data` puts it into a module.

    Args:
        header: the data type's type, a GlobalTypeVar.
        type_vars: TypeVars that stand for types in the constructors' fields, mostly none.
        constructors: the Constructors, which belong to `header`.

    Example:
        >>> from lathe import relay
        >>> bit = relay.GlobalTypeVar("Bit")
        >>> data = relay.TypeData(bit, [], [relay.Constructor("Off", [], bit),
        ...                                 relay.Constructor("On", [], bit)])
        >>> [c.tag for c in data.constructors]
        [0, 1]
    """

    __slots__ = ("header", "type_vars", "constructors")

    def __init__(self, header, type_vars, constructors):
        self.header, self.type_vars = header, declared(type_vars, "a data type")
        self.constructors = list(constructors)
        for tag, constructor in enumerate(self.constructors):
            if constructor.belong_to.name != header.name:
                raise LatheValueError("a constructor belongs to another data type",
                                      "relay-constructor",
                                      f"expected: {header.name}\nfound: {constructor}")
            constructor.tag, constructor._data = tag, self

    def _node(self):
        made = [_nodes.CLASSES["GraphConstructor"](c.name_hint, c.inputs)
                for c in self.constructors]
        return _nodes.CLASSES["GraphDataType"](self.header.name, made)

    @staticmethod
    def _of(node):
        header = GlobalTypeVar(node.name)
        return TypeData(header, [], [Constructor(c.name, c.fields, header)
                                     for c in node.constructors])


class Pattern:
    """Base of the patterns.

    Example:
        >>> from lathe import relay
        >>> isinstance(relay.PatternWildcard(), relay.Pattern)
        True
    """

    __slots__ = ()


class PatternWildcard(Pattern):
    """Matches anything.

    Example:
        >>> from lathe import relay
        >>> relay.PatternWildcard()
        _
    """

    __slots__ = ()

    def _packed(self):
        return [0]

    def _vars(self):
        return []

    def __repr__(self):
        return "_"


class PatternVar(Pattern):
    """Matches anything, and gives it to a variable.

    Args:
        var: a Var; its type may be left out.

    Example:
        >>> from lathe import relay
        >>> relay.PatternVar(relay.Var("head"))
        head
    """

    __slots__ = ("var",)

    def __init__(self, var):
        self.var = var

    def _packed(self):
        return [1]

    def _vars(self):
        return [self.var]

    def __repr__(self):
        return self.var.name_hint


class PatternConstructor(Pattern):
    """Matches what a constructor made, if the fields match. Variables get the fields' types.

    Args:
        constructor: the Constructor.
        patterns: a Pattern for each field.

    Example:
        >>> from lathe import relay
        >>> maybe = relay.GlobalTypeVar("Maybe")
        >>> some = relay.Constructor("Some", [relay.scalar_type("float32")], maybe)
        >>> relay.PatternConstructor(some, [relay.PatternWildcard()])
        Maybe.Some(_)
    """

    __slots__ = ("constructor", "patterns")

    def __init__(self, constructor, patterns=None):
        self.constructor, self.patterns = constructor, list(patterns or ())
        for pattern, wanted in zip(self.patterns, constructor.inputs):
            if isinstance(pattern, PatternVar) and pattern.var._type is None and not variables(wanted):
                pattern.var._type = wanted

    def _packed(self):
        return [2, self.constructor.full_name, [p._packed() for p in self.patterns]]

    def _vars(self):
        return [var for p in self.patterns for var in p._vars()]

    def __repr__(self):
        inner = ", ".join(map(repr, self.patterns))
        return f"{self.constructor}({inner})" if self.patterns else str(self.constructor)


class PatternTuple(Pattern):
    """Matches a tuple whose fields match.

    Args:
        patterns: a Pattern for each field.

    Example:
        >>> from lathe import relay
        >>> relay.PatternTuple([relay.PatternWildcard(), relay.PatternVar(relay.Var("x"))])
        (_, x)
    """

    __slots__ = ("patterns",)

    def __init__(self, patterns=None):
        self.patterns = list(patterns or ())

    def _packed(self):
        return [3, [p._packed() for p in self.patterns]]

    def _vars(self):
        return [var for p in self.patterns for var in p._vars()]

    def __repr__(self):
        return "(" + ", ".join(map(repr, self.patterns)) + ")"


class Clause:
    """What a match gives for values of a pattern.

    Args:
        lhs: the Pattern.
        rhs: the result, which may use the pattern's variables.

    Example:
        >>> from lathe import relay
        >>> relay.Clause(relay.PatternWildcard(), relay.const(0.0)).lhs
        _
    """

    __slots__ = ("lhs", "rhs")

    def __init__(self, lhs, rhs):
        if not isinstance(lhs, Pattern):
            raise LatheTypeError("a clause must begin with a pattern", "relay-pattern-type",
                                 f"found: {type(lhs).__name__}")
        self.lhs, self.rhs = lhs, _e.as_expr(rhs, "the result of a clause")


class Match(_e.Expr):
    """The result of the first clause whose pattern matches `data`; the others are not computed.

    Args:
        data: a value of a data type, or a tuple.
        clauses: Clauses.
        complete: must be true: the clauses match every value.

    Raises:
        LatheError: when its type is asked for: `graph-match-missing`, which shows a value that no
            clause matches; `graph-match-clause` for a clause that is never chosen.

    Example:
        >>> import lathe
        >>> from lathe import relay
        >>> p = relay.prelude.Prelude()
        >>> l = relay.var("l", p.list_type)
        >>> h, t = relay.Var("h"), relay.Var("t")
        >>> first = relay.Match(l, [
        ...     relay.Clause(relay.PatternConstructor(p.nil), relay.const(0.0)),
        ...     relay.Clause(relay.PatternConstructor(
        ...         p.cons, [relay.PatternVar(h), relay.PatternWildcard()]), h)])
        >>> first.checked_type
        float32[]
    """

    __slots__ = ("data", "clauses", "complete")

    def __init__(self, data, clauses, complete=True):
        super().__init__()
        if not complete:
            raise LatheValueError("a match must match every value", "relay-match-partial",
                                  "help: add a clause with relay.PatternWildcard()")
        self.data, self.clauses, self.complete = _e.as_expr(data), list(clauses), True
