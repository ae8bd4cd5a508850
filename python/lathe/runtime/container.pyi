"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe._core import Object as Object

class ADT(Object):
    """A value of a data type. `value[i]` and `value.fields` are its fields; they may be ADTs, too.

    Example:
        >>> import lathe, numpy as np
        >>> from lathe import relay
        >>> p = relay.prelude.Prelude()
        >>> p.mod["main"] = relay.Function([], p.cons(relay.const(2.5), p.nil()))
        >>> value = relay.create_executor("debug", p.mod).evaluate()()
        >>> value, float(value[0].numpy()), value[1].tag
        (List.Cons(2 fields), 2.5, 1)
    """
    def __getitem__(self, index: Any) -> Any: ...
    def __iter__(self) -> Any: ...
    def __len__(self) -> int: ...
    def __repr__(self) -> str: ...
    @property
    def constructor(self) -> Any:
        """The constructor that made it, a ConstructorName: the data type's name, a dot and its own.

        That of `List[float32[]]` is `List`: equal to the `full_name` of the `relay.Constructor`.
        """

    @property
    def fields(self) -> Any:
        """The fields: Tensors, ADTs, and lists for tuples."""

    @property
    def tag(self) -> Any:
        """The constructor's number within its data type."""

    ...

class ConstructorName(str):
    """The name of a constructor: that of its data type, a dot and its own.

    Example:
        >>> import lathe
        >>> lathe.runtime.container.ConstructorName("List.Cons").name_hint
        'Cons'
    """
    @property
    def name_hint(self) -> Any:
        """The constructor's own name."""

    ...

def tuple_object(fields: Any = ...) -> Any:
    """The fields as a tuple that graphs take: a list.

    Example:
        >>> import lathe
        >>> lathe.runtime.container.tuple_object([])
        []
    """
