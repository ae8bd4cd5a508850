"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.runtime.container import ADT as ADT
from lathe._irmodule import IRModule as IRModule
from lathe.error import LatheTypeError as LatheTypeError

class ConstructorValue:
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
    @staticmethod
    def __new__(cls, tag: Any, fields: Any, constructor: Any, type_args: Any = ...) -> Any: ...
    ...

CLASSES: Any
