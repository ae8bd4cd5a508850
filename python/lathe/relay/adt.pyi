"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.relay.expr import Expr as Expr
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError
from lathe._type_params import declared as declared
from lathe._type_params import variables as variables

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
    def __init__(self, lhs: Any, rhs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class Pattern:
    """Base of the patterns.

    Example:
        >>> from lathe import relay
        >>> isinstance(relay.PatternWildcard(), relay.Pattern)
        True
    """
    ...

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
    @staticmethod
    def _of(node: Any) -> Any: ...
    def __init__(self, header: Any, type_vars: Any, constructors: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class Constructor(Expr):
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
    def __call__(self, *args: Any) -> Any: ...
    def __repr__(self) -> str: ...
    def __str__(self) -> str: ...
    def as_function(self) -> Any: ...
    @property
    def full_name(self) -> Any:
        """The data type's name, a dot and the constructor's."""

    def __init__(self, name_hint: Any, inputs: Any, belong_to: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class Match(Expr):
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
    def __init__(self, data: Any, clauses: Any, complete: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

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
    def __repr__(self) -> str: ...
    def __init__(self, constructor: Any, patterns: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class PatternTuple(Pattern):
    """Matches a tuple whose fields match.

    Args:
        patterns: a Pattern for each field.

    Example:
        >>> from lathe import relay
        >>> relay.PatternTuple([relay.PatternWildcard(), relay.PatternVar(relay.Var("x"))])
        (_, x)
    """
    def __repr__(self) -> str: ...
    def __init__(self, patterns: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class PatternVar(Pattern):
    """Matches anything, and gives it to a variable.

    Args:
        var: a Var; its type may be left out.

    Example:
        >>> from lathe import relay
        >>> relay.PatternVar(relay.Var("head"))
        head
    """
    def __repr__(self) -> str: ...
    def __init__(self, var: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class PatternWildcard(Pattern):
    """Matches anything.

    Example:
        >>> from lathe import relay
        >>> relay.PatternWildcard()
        _
    """
    def __repr__(self) -> str: ...
    ...

def GlobalTypeVar(name_hint: Any, kind: Any = ...) -> Any:
    """The type of a data type's values, by its name.

    Args:
        name_hint: the data type's name.
        kind: without effect.

    Example:
        >>> from lathe import relay
        >>> relay.GlobalTypeVar("List")
        List
    """
