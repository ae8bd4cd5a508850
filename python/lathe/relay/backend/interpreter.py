"""Values of data types, as programs that interpret graphs name them."""

from ..._irmodule import IRModule
from ...runtime.container import ADT
from .. import expr as _e


class _Adt(type):
    def __instancecheck__(cls, item):
        return isinstance(item, ADT)


class ConstructorValue(metaclass=_Adt):
    """A value of a data type: `runtime.container.ADT`, which executors give and take.

    Args:
        tag: the constructor's number within its data type.
        fields: Tensors, arrays, ADTs, and lists for tuples.
        constructor: the relay.Constructor, of a data type that is defined.

    Raises:
        ValueError: `tag` is not the constructor's.

    Example:
        >>> from lathe import relay
        >>> from lathe.relay.backend.interpreter import ConstructorValue
        >>> p = relay.prelude.Prelude()
        >>> empty = ConstructorValue(p.nil.tag, [], p.nil)
        >>> one = ConstructorValue(p.cons.tag, [2.5, empty], p.cons)
        >>> isinstance(one, ConstructorValue), one.constructor.name_hint, float(one.fields[0].numpy())
        (True, 'Cons', 2.5)
    """

    def __new__(cls, tag, fields, constructor):
        if tag != constructor.tag:
            raise ValueError(f"the tag of {constructor} is {constructor.tag}, not {tag}")
        params = [_e.Var(f"field{i}", one) for i, one in enumerate(constructor.inputs)]
        module = IRModule.from_expr(_e.Function(params, _e.Call(constructor, params)))
        from ..build_module import create_executor

        return create_executor("debug", module).evaluate()(*fields)
