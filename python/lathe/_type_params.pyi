"""Written by python/stubs/make_stubs.py."""

from typing import Any
import enum
from lathe.error import LatheTypeError as LatheTypeError

class IncompleteType:
    """A type that is not known yet: an annotation that leaves the type to inference.

    Args:
        kind: a TypeKind.

    Example:
        >>> from lathe import relay
        >>> x = relay.Var("x", relay.IncompleteType())
        >>> relay.Let(x, relay.const(1.0), x + x).checked_type
        float32[]
    """
    @staticmethod
    def __new__(cls, kind: Any = ...) -> Any: ...
    @staticmethod
    def _names(name: Any) -> Any: ...
    ...

class RefType:
    """The type of references to values of a type: what `relay.RefCreate` makes.

    Args:
        value: the values' type.

    Example:
        >>> from lathe import relay
        >>> relay.RefType(relay.TensorType((2,))).value
        float32[2]
    """
    @staticmethod
    def __new__(cls, value: Any) -> Any: ...
    @staticmethod
    def _names(name: Any) -> Any: ...
    ...

class TypeCall:
    """A data type of other types: `TypeCall(List, [a])`, or `List(a)`.

    Args:
        func: a GlobalTypeVar.
        args: types, one for each type variable of the data type's definition.

    Example:
        >>> from lathe import relay
        >>> relay.TypeCall(relay.GlobalTypeVar("List"), [relay.scalar_type("int32")])
        List[int32[]]
    """
    @staticmethod
    def __new__(cls, func: Any, args: Any) -> Any: ...
    @staticmethod
    def _names(name: Any) -> Any: ...
    ...

class TypeVar:
    """A type that the user of a function, or of a data type, chooses.

    Variables are equal if their names and kinds are. `relay.Function(..., type_params=[a])` and
    `relay.TypeData(header, [a], ...)` declare them.

    Args:
        name_hint: its name.
        kind: a TypeKind.

    Example:
        >>> import numpy as np
        >>> from lathe import relay
        >>> a = relay.TypeVar("a")
        >>> x, f, y = relay.Var("x", a), relay.Var("f"), relay.var("y", shape=(2,))
        >>> body = relay.Let(f, relay.Function([x], x, a, [a]),
        ...                  relay.Tuple([f(y), f(relay.const(3))]))
        >>> relay.Function([y], body).checked_type
        fn(float32[2]) -> (float32[2], int32[])
    """
    @staticmethod
    def __new__(cls, name_hint: Any, kind: Any = ...) -> Any: ...
    @staticmethod
    def _names(name: Any) -> Any: ...
    ...

class TypeKind(enum.IntEnum):
    """What a type variable stands for.

    Example:
        >>> from lathe import relay
        >>> relay.TypeVar("a").kind == relay.TypeKind.Type
        True
    """
    Type = 0
    ShapeVar = 1
    BaseType = 2
    Constraint = 4
    AdtHandle = 5
    TypeData = 6

def children(one: Any) -> Any:
    """The types that a type is made of."""

def declared(names: Any, what: Any) -> Any:
    """The type variables that a function or data type declares, as a list.

    Raises:
        LatheTypeError: `relay-type-arguments`: one is no TypeVar.

    Example:
        >>> from lathe import _type_params, relay
        >>> _type_params.declared((relay.TypeVar("a"),), "a function")
        [a]
    """

def exact_text(one: Any) -> Any:
    """The text of a type, which differs for types that differ.

    Example:
        >>> from lathe import _type_params, relay
        >>> _type_params.exact_text(relay.TypeVar("a"))
        "'a"
    """

def made_parts(one: Any) -> Any:
    """What the types within a type were made of: [(what is applied or "Ref", its arguments)]."""

def parts_of(one: Any) -> Any:
    """(what is applied, its arguments) of a TypeCall or RefType; None for other types.

    Example:
        >>> from lathe import _type_params, relay
        >>> _type_params.parts_of(relay.scalar_type("int8")) is None
        True
    """

def restored(make: Any, args: Any, parts: Any) -> Any:
    """A type of another process, whose types made of others are known here, too."""

def short_text(text: Any) -> Any:
    """The compiler's text of a type as people read it."""

def substitute(one: Any, binds: Any) -> Any:
    """A type with type variables replaced: {name of the variable's TypeRef: type}.

    Example:
        >>> from lathe import _type_params, relay
        >>> a = relay.TypeVar("a")
        >>> _type_params.substitute(relay.TupleType([a, a]), {a.name: relay.scalar_type("int8")})
        (int8[], int8[])
    """

def unify(pattern: Any, found: Any, binds: Any) -> Any:
    """Adds to `binds` what the type variables of `pattern` must be, so that it is the type `found`.

    Parts that do not fit are left out: the compiler says what is wrong when it checks the types.

    Example:
        >>> from lathe import _type_params, relay
        >>> binds, pattern = {}, relay.TupleType([relay.TypeVar("a")])
        >>> _type_params.unify(pattern, relay.TupleType([relay.scalar_type("int8")]), binds)
        >>> binds
        {"'a": int8[]}
    """

used: Any

def variables(one: Any) -> Any:
    """The type variables of a type, in the order of their first use.

    Example:
        >>> from lathe import _type_params, relay
        >>> a = relay.TypeVar("a")
        >>> _type_params.variables(relay.FuncType([a, relay.scalar_type("int8")], a))
        [a]
    """

def with_children(one: Any, new: Any) -> Any:
    """A type of the same kind, made of other types."""
