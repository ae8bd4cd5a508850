"""Types with parameters: type variables, data types of other types, references.

They stand in types of functions and variables. When a function becomes part of a graph, each use
of it has the types that its arguments have (`relay/_instances.py`), so compiled code knows none of
these types. In the compiler's types they are names (`TypeRef`).
"""

import enum
import itertools
import re

from . import _nodes
from .error import LatheTypeError

_numbers = itertools.count()
_PARTS = {}  # name of a type made of others -> (type that is applied or "Ref", its arguments)
#: Has this program made a type variable, or a data type of other types?
used = False


class TypeKind(enum.IntEnum):
    """What a type variable stands for.

    Example:
        >>> from lathe import relay
        >>> relay.TypeVar("a").kind == relay.TypeKind.Type
        True
    """

    Type, ShapeVar, BaseType = 0, 1, 2
    Constraint, AdtHandle, TypeData = 4, 5, 6


class _Named(type):
    """The class of these classes: a TypeRef is their instance if its name has their form."""

    def __instancecheck__(cls, item):
        return isinstance(item, _nodes.CLASSES["TypeRef"]) and cls._names(item.name)


def _named(name):
    global used
    used = True
    return _nodes.CLASSES["TypeRef"](name)


class TypeVar(metaclass=_Named):
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

    def __new__(cls, name_hint, kind=TypeKind.Type):
        kind = TypeKind(kind)
        return _named(f"'{name_hint}" + (f":{kind.name}" if kind else ""))

    @staticmethod
    def _names(name):
        return name.startswith("'")


class IncompleteType(metaclass=_Named):
    """A type that is not known yet: an annotation that leaves the type to inference.

    Args:
        kind: a TypeKind.

    Example:
        >>> from lathe import relay
        >>> x = relay.Var("x", relay.IncompleteType())
        >>> relay.Let(x, relay.const(1.0), x + x).checked_type
        float32[]
    """

    def __new__(cls, kind=TypeKind.Type):
        kind = TypeKind(kind)
        return _named(f"?{next(_numbers)}" + (f":{kind.name}" if kind else ""))

    @staticmethod
    def _names(name):
        return name.startswith("?")


class TypeCall(metaclass=_Named):
    """A data type of other types: `TypeCall(List, [a])`, or `List(a)`.

    Args:
        func: a GlobalTypeVar.
        args: types, one for each type variable of the data type's definition.

    Example:
        >>> from lathe import relay
        >>> relay.TypeCall(relay.GlobalTypeVar("List"), [relay.scalar_type("int32")])
        List[int32[]]
    """

    def __new__(cls, func, args):
        args = list(args)
        if not isinstance(func, _nodes.CLASSES["TypeRef"]):
            raise LatheTypeError("what is applied to types must be a data type", "relay-type-arguments",
                                 f"expected: a relay.GlobalTypeVar\nfound: {func!r}")
        return _applied(func.name, func, args) if args else func

    @staticmethod
    def _names(name):
        return name in _PARTS and _PARTS[name][0] != "Ref"


class RefType(metaclass=_Named):
    """The type of references to values of a type: what `relay.RefCreate` makes.

    Args:
        value: the values' type.

    Example:
        >>> from lathe import relay
        >>> relay.RefType(relay.TensorType((2,))).value
        float32[2]
    """

    def __new__(cls, value):
        return _applied("&Ref", "Ref", [value])  # a name that no data type has

    @staticmethod
    def _names(name):
        return name in _PARTS and _PARTS[name][0] == "Ref"


def _applied(name, func, args):
    from ._graph_types import Type

    for arg in args:
        if not isinstance(arg, Type):
            raise LatheTypeError("a type must be made of types", "relay-type-arguments", f"found: {arg!r}")
    text = f"{name}[{', '.join(exact_text(arg) for arg in args)}]"
    _PARTS[text] = (func, tuple(args))
    return _named(text)


def exact_text(one):
    """The text of a type, which differs for types that differ.

    Example:
        >>> from lathe import _type_params, relay
        >>> _type_params.exact_text(relay.TypeVar("a"))
        "'a"
    """
    from . import _ffi

    return _ffi.get("graph.type_text")(one).replace("`", "")


def short_text(text):
    """The compiler's text of a type as people read it."""
    return re.sub(r"`|&(?=Ref\[)|'(?=\w)|(?<=\w):[A-Z][A-Za-z]+", "", text) if used else text


def parts_of(one):
    """(what is applied, its arguments) of a TypeCall or RefType; None for other types.

    Example:
        >>> from lathe import _type_params, relay
        >>> _type_params.parts_of(relay.scalar_type("int8")) is None
        True
    """
    return _PARTS.get(one.name) if isinstance(one, _nodes.CLASSES["TypeRef"]) else None


def made_parts(one):
    """What the types within a type were made of: [(what is applied or "Ref", its arguments)]."""
    found, work = [], [one]
    while work:
        item = work.pop()
        made = parts_of(item)
        if made is not None:
            found.append(made)
        else:
            work += children(item)
    return found


def restored(make, args, parts):
    """A type of another process, whose types made of others are known here, too."""
    for func, arguments in parts:
        if func == "Ref":
            RefType(*arguments)
        else:
            TypeCall(func, arguments)
    return make(*args)


def children(one):
    """The types that a type is made of."""
    kind = type(one).__name__
    if kind == "TupleType":
        return list(one.fields)
    if kind == "FuncType":
        return [*one.params, one.result]
    found = parts_of(one)
    return list(found[1]) if found else []


def with_children(one, new):
    """A type of the same kind, made of other types."""
    kind = type(one).__name__
    if kind == "TupleType":
        return _nodes.CLASSES[kind](new)
    if kind == "FuncType":
        return _nodes.CLASSES[kind](new[:-1], new[-1])
    found = parts_of(one)
    if found is None:
        return one
    return RefType(new[0]) if found[0] == "Ref" else TypeCall(found[0], new)


def variables(one):
    """The type variables of a type, in the order of their first use.

    Example:
        >>> from lathe import _type_params, relay
        >>> a = relay.TypeVar("a")
        >>> _type_params.variables(relay.FuncType([a, relay.scalar_type("int8")], a))
        [a]
    """
    found, work = {}, [one]
    while work:
        item = work.pop()
        if isinstance(item, TypeVar):
            found.setdefault(item.name, item)
        work += reversed(children(item))
    return list(found.values())


def declared(names, what):
    """The type variables that a function or data type declares, as a list.

    Raises:
        LatheTypeError: `relay-type-arguments`: one is no TypeVar.

    Example:
        >>> from lathe import _type_params, relay
        >>> _type_params.declared((relay.TypeVar("a"),), "a function")
        [a]
    """
    names = list(names or ())
    wrong = [one for one in names if not isinstance(one, TypeVar)]
    if wrong:
        raise LatheTypeError(f"the type parameters of {what} must be type variables", "relay-type-arguments",
                             f"expected: relay.TypeVar(name)\nfound: {wrong[0]!r}")
    return names


def substitute(one, binds):
    """A type with type variables replaced: {name of the variable's TypeRef: type}.

    Example:
        >>> from lathe import _type_params, relay
        >>> a = relay.TypeVar("a")
        >>> _type_params.substitute(relay.TupleType([a, a]), {a.name: relay.scalar_type("int8")})
        (int8[], int8[])
    """
    if isinstance(one, TypeVar):
        return binds.get(one.name, one)
    old = children(one)
    new = [substitute(part, binds) for part in old]
    return one if all(a is b for a, b in zip(old, new)) else with_children(one, new)


def unify(pattern, found, binds):
    """Adds to `binds` what the type variables of `pattern` must be, so that it is the type `found`.

    Parts that do not fit are left out: the compiler says what is wrong when it checks the types.

    Example:
        >>> from lathe import _type_params, relay
        >>> binds, pattern = {}, relay.TupleType([relay.TypeVar("a")])
        >>> _type_params.unify(pattern, relay.TupleType([relay.scalar_type("int8")]), binds)
        >>> binds
        {"'a": int8[]}
    """
    if isinstance(found, (TypeVar, IncompleteType)):
        return
    if isinstance(pattern, TypeVar):
        binds.setdefault(pattern.name, found)
        return
    mine, theirs = parts_of(pattern), parts_of(found)
    same = type(pattern).__name__ == type(found).__name__ and (mine and mine[0]) == (theirs and theirs[0])
    if same and len(children(pattern)) == len(children(found)):
        for one, other in zip(children(pattern), children(found)):
            unify(one, other, binds)
