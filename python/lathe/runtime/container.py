"""Values of data types, which graphs return."""

from .. import _core, _ffi

_get = _ffi.get


class ConstructorName(str):
    """The name of a constructor: that of its data type, a dot and its own.

    Example:
        >>> import lathe
        >>> lathe.runtime.container.ConstructorName("List.Cons").name_hint
        'Cons'
    """

    __slots__ = ()

    @property
    def name_hint(self):
        """The constructor's own name."""
        return self.rpartition(".")[2]


class ADT(_core.Object):
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

    __slots__ = ()

    @property
    def constructor(self):
        """The constructor that made it, a ConstructorName: the data type's name, a dot and its own.

        That of `List[float32[]]` is `List`: equal to the `full_name` of the `relay.Constructor`.
        """
        data_type, _, own = _get("vm.data_constructor")(self).rpartition(".")
        return ConstructorName(f"{data_type.partition('[')[0]}.{own}")

    @property
    def tag(self):
        """The constructor's number within its data type."""
        return _get("vm.data_tag")(self)

    @property
    def fields(self):
        """The fields: Tensors, ADTs, and lists for tuples."""
        return [_plain(field) for field in _get("vm.data_fields")(self)]

    def __getitem__(self, index):
        return self.fields[index]

    def __len__(self):
        return len(_get("vm.data_fields")(self))

    def __iter__(self):
        return iter(self.fields)

    def __repr__(self):
        return f"{self.constructor}({len(self)} fields)"


def _plain(value):
    if isinstance(value, ADT) and value.tag < 0:
        return value.fields
    return value


def tuple_object(fields=None):
    """The fields as a tuple that graphs take: a list.

    Example:
        >>> import lathe
        >>> lathe.runtime.container.tuple_object([])
        []
    """
    return list(fields or ())


#: What lists, maps and texts of nodes are in Python.
Array, Map, ShapeTuple, String = tuple, dict, tuple, str

_core.register_class(1031, ADT)
