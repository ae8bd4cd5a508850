"""Types of expressions: tensors, tuples, functions.

A type prints as its text ("float32[n, 784]"), and equals every type of the same structure. Extents
are numbers, or expressions over sizes.
"""

import threading

from . import _ffi, _nodes, _type_params
from .error import LatheTypeError

_get = _ffi.get
# Sizes of graphs are int64. [32-bit variable of te, the size that stands for it], of all types.
_sizes, _sizes_lock = [], threading.Lock()
_type_text, _same_type = _get("graph.type_text"), _get("graph.same_type")


class Type(_nodes.Node):
    """Base of the types. `==` compares structure.

    Example:
        >>> from lathe import relay
        >>> relay.TensorType((2, 3)) == relay.TensorType((2, 3), "float32")
        True
    """

    __slots__ = ()

    def __str__(self):
        return _type_params.short_text(_type_text(self))

    __repr__ = __str__

    def __eq__(self, other):
        return isinstance(other, Type) and _same_type(self, other)

    def __ne__(self, other):
        return not self == other

    def __reduce__(self):
        made, parts = super().__reduce__(), _type_params.made_parts(self) if _type_params.used else []
        return (_type_params.restored, (*made, parts)) if parts else made

    def __hash__(self):
        return hash(_type_text(self))


@_nodes.methods_of("TensorType")
class _TensorType(Type):
    """The type of tensors.

    Args:
        shape: the extents: ints, `relay.Any()`, variables of te, or expressions over these.
        dtype: the element type.

    Example:
        >>> from lathe import relay
        >>> relay.TensorType((1, 3, 224, 224), "float32")
        float32[1, 3, 224, 224]
    """

    __slots__ = ()

    def __new__(cls, shape, dtype="float32"):
        found = extents(shape)
        made = _get("graph.tensor_type")(found, dtype)
        return made if all(type(n) is int for n in found) else sized(made)

    @property
    def concrete_shape(self):
        """The extents as ints. Raises LatheTypeError if one is not a number."""
        found = tuple(plain_extent(n) for n in self.shape)
        if any(not isinstance(n, int) for n in found):
            raise LatheTypeError("the shape depends on sizes", "graph-shape-type", f"found: {self}")
        return found


@_nodes.methods_of("TupleType")
class _TupleType(Type):
    """The type of tuples: `TupleType([field type, ...])`."""

    __slots__ = ()

    def __new__(cls, fields):
        return _nodes._new(cls, list(fields))


@_nodes.methods_of("FuncType")
class _FuncType(Type):
    """The type of functions: `FuncType([parameter type, ...], result type)`.

    Args:
        arg_types: the parameters' types.
        ret_type: the result's type.
        type_params: the type variables that the types have; they count without being listed, too.
        type_constraints: must be empty: relations between types are the operators' own.

    Raises:
        LatheTypeError: `relay-type-arguments`: a listed variable that no type has, or a constraint.
    """

    __slots__ = ()

    def __new__(cls, arg_types, ret_type, type_params=None, type_constraints=None):
        made = _nodes._new(cls, list(arg_types), ret_type)
        unused = [one for one in type_params or () if one not in _type_params.variables(made)]
        if unused or type_constraints:
            raise LatheTypeError("a type of functions has a type variable or a constraint that nothing uses",
                                 "relay-type-arguments", f"found: {(unused or list(type_constraints))[0]}\n"
                                 "help: list only variables that the types contain, and no constraints")
        return made

    @property
    def type_params(self):
        """The type variables that the types have."""
        return _type_params.variables(self)

    @property
    def arg_types(self):
        """The parameters' types."""
        return self.params

    @property
    def ret_type(self):
        """The result's type."""
        return self.result


@_nodes.methods_of("TypeRef")
class _TypeRef(Type):
    """A type by its name: a data type of the module, a type variable, or what is made of types.

    A call of a data type gives a data type of other types: `List(relay.scalar_type("int32"))`.
    """

    __slots__ = ()

    @property
    def name_hint(self):
        """The type's name."""
        if self.name[:1] not in ("'", "?"):
            return self.name
        return self.name.lstrip("'").partition(":")[0]

    @property
    def kind(self):
        """The TypeKind of a type variable; AdtHandle for a data type."""
        if self.name[:1] not in ("'", "?"):
            return _type_params.TypeKind.AdtHandle
        return _type_params.TypeKind[self.name.partition(":")[2] or "Type"]

    def _parts(self):
        found = _type_params.parts_of(self)
        if found is None:
            raise AttributeError(f"the type {self} is not made of other types")
        return found

    @property
    def func(self):
        """What a TypeCall applies to types: a GlobalTypeVar."""
        return self._parts()[0]

    @property
    def args(self):
        """The types that a TypeCall applies the data type to."""
        return self._parts()[1]

    @property
    def value(self):
        """The type of the values that a RefType's references have."""
        return self._parts()[1][0]

    def __call__(self, *args):
        return _type_params.TypeCall(self, args)


def plain_extent(extent):
    """An extent as an int if it is a number; else the expression.

    Example:
        >>> from lathe import relay
        >>> [relay.ty.plain_extent(n) for n in relay.TensorType((2, 3)).shape]
        [2, 3]
    """
    value = getattr(extent, "value", None)
    return value if type(value) is int else extent


def extents(shape):
    """The extents of a shape as a list: ints, and expressions.

    Args:
        shape: an int or expression, or a sequence of them. NumPy's integers count as ints.

    Raises:
        LatheTypeError: an extent is neither.

    Example:
        >>> from lathe import relay
        >>> relay.ty.extents(5), relay.ty.extents((2, 3))
        ([5], [2, 3])
    """
    if isinstance(shape, (int, _nodes.Node)):
        shape = (shape,)
    found = []
    for item in shape:
        if not isinstance(item, _nodes.Node):
            try:
                item = item.__index__()
            except AttributeError:
                raise LatheTypeError("an extent must be a number, or an expression over sizes",
                                     "graph-shape-type", f"found: {item!r}\nhelp: " + (
                                         "`//` divides whole numbers, `/` gives a float" if isinstance(item, float)
                                         else "relay.Any() is a size that the caller chooses")) from None
        found.append(item)
    return found


def sized(node):
    """A type, or a call's attributes, with te's 32-bit variables replaced by sizes.

    A variable is the same size everywhere.

    Example:
        >>> from lathe import relay, te
        >>> relay.TensorType((te.var("n") * 2,))
        float32[n * 2]
    """
    global _sizes
    with _sizes_lock:
        made, _sizes = _get("graph.sized")(node, _sizes)
    return made


def any_size(name="any"):
    """A size that the caller chooses: each call gives a new one.

    Args:
        name: of the size, for texts and errors.

    Example:
        >>> from lathe import relay
        >>> relay.TensorType((relay.Any("n"), 784))
        float32[n, 784]
    """
    return _get("graph.size")(str(name))


def scalar_type(dtype):
    """The type of tensors of rank 0.

    Example:
        >>> from lathe import relay
        >>> relay.scalar_type("int32")
        int32[]
    """
    return _nodes.CLASSES["TensorType"]((), dtype)
