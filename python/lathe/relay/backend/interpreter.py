"""Values of data types, as programs that interpret graphs name them."""

from ... import _ffi, _type_params
from ..._irmodule import IRModule
from ..._nodes import CLASSES
from ...error import LatheTypeError
from ...runtime.container import ADT
from .. import _instances
from .. import expr as _e

_get = _ffi.get


def _type_of(value):
    """The type of a value that executors give."""
    if isinstance(value, (list, tuple)):
        return CLASSES["TupleType"]([_type_of(one) for one in value])
    if isinstance(value, ADT):
        return CLASSES["TypeRef"](_get("vm.data_constructor")(value).rpartition(".")[0])
    return _e.const(value).checked_type


def _typed(constructor, fields, type_args):
    """The constructor of the data type for the types of the fields."""
    data = constructor._data
    binds = {var.name: one for var, one in zip(data.type_vars, type_args or ())}
    for wanted, field in zip(constructor.inputs, fields):
        _type_params.unify(wanted, _type_of(field), binds)
    missing = [one for one in data.type_vars if one.name not in binds]
    if missing:
        raise LatheTypeError(f"the types of constructor `{constructor.name_hint}` are not known here", "relay-type-arguments",
                             f"found: nothing says what the type variable `{missing[0]}` is\nhelp: type_args=[...] says it")
    one = data.header(*(binds[var.name] for var in data.type_vars))
    return _instances.Instances(None, {data.header.name: data}).data_type(one).constructors[constructor.tag]


class _Adt(type):
    def __instancecheck__(cls, item):
        return isinstance(item, ADT)


class ConstructorValue(metaclass=_Adt):
    """A value of a data type: `runtime.container.ADT`, which executors give and take.

    Args:
        tag: the constructor's number within its data type.
        fields: Tensors, arrays, ADTs, and lists for tuples.
        constructor: the relay.Constructor, of a data type that is defined.
        type_args: the types that the type variables of the data type stand for, where the fields do not say them.

    Raises:
        ValueError: `tag` is not the constructor's.
        LatheTypeError: `relay-type-arguments`: nothing says a type.

    Example:
        >>> from lathe import relay
        >>> from lathe.relay.backend.interpreter import ConstructorValue
        >>> p = relay.prelude.Prelude()
        >>> empty = ConstructorValue(p.nil.tag, [], p.nil, [relay.scalar_type("float32")])
        >>> one = ConstructorValue(p.cons.tag, [2.5, empty], p.cons)
        >>> isinstance(one, ConstructorValue), one.constructor.name_hint, float(one.fields[0].numpy())
        (True, 'Cons', 2.5)
    """

    def __new__(cls, tag, fields, constructor, type_args=None):
        if tag != constructor.tag:
            raise ValueError(f"the tag of {constructor} is {constructor.tag}, not {tag}")
        if constructor._data is not None and constructor._data.type_vars:
            constructor = _typed(constructor, fields, type_args)
        params = [_e.Var(f"field{i}", one) for i, one in enumerate(constructor.inputs)]
        module = IRModule.from_expr(_e.Function(params, _e.Call(constructor, params)))
        from ..build_module import create_executor

        return create_executor("debug", module).evaluate()(*fields)
