"""The Python classes of the IR: one for each node kind, made from the kind's field list.

A class is a handle of the C++ type of the same name. Its properties are the fields, which are
generated. Only methods (`Tensor.__getitem__`) are written by hand, in the classes of `METHODS`. The
generated class derives from them.
"""

from . import _core, _ffi

Object = _core.Object

_text = _ffi.get("ir.text")
_get_field = _ffi.get("ir.get_field")
_make_node = _ffi.get("ir.make_node")
_encode = _ffi.get("ir.encode")
_decode = _ffi.get("ir.decode")

#: name of a kind -> its class
CLASSES = {}
#: name of a kind -> [(field, type, nullable, enum names)]
FIELDS = {}
#: name of a kind -> a class with hand-written methods
METHODS = {}
_KIND_NUMBERS = {}


def methods_of(name):
    """A decorator: the class becomes the base of the generated class `name`."""

    def declare(cls):
        METHODS[name] = cls
        return cls

    return declare


class Node(Object):
    """Base of everything in the IR: immutable, compared and hashed by identity.

    `str(node)` is its text. `lathe.ir.parse` reads it back if the text is complete by itself.
    """

    __slots__ = ()

    def __str__(self):
        return _text(self, False, False)

    def __repr__(self):
        return _text(self, False, True)

    def _repr_html_(self):
        from . import _html

        return _html.page_of(_text(self, True, False))

    def show(self):
        """Prints the text in colours."""
        print(_text(self, True, False))

    def astext(self):
        """The text, as `str` gives it."""
        return str(self)

    def __reduce__(self):
        return (_restored, (_encode(self),))

    @classmethod
    def _fields(cls):
        return FIELDS[cls._kind_name]


# What gives the text that programs look for under other names.
_TEXTS = {"script": "`str` of the object gives its text", "show": "`print` shows its text",
          "inspect_source": "`get_source()` gives the source of a compiled module"}


def no_attribute(item, name):
    """The `__getattr__` of a class that has texts: AttributeError, with where a text is."""
    if hasattr(type(item), name):  # a property raised an error that counts as AttributeError: that error again
        return object.__getattribute__(item, name)
    hint = _TEXTS.get(name)
    raise AttributeError(f"'{type(item).__name__}' object has no attribute '{name}'" + (f": {hint}" if hint else ""),
                          name=name, obj=item)


def _restored(data):
    return _decode(data)


class _Dict:
    """A property for a dict field: each read gives a new dict."""

    __slots__ = ("field",)

    def __init__(self, field):
        self.field = field


    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        return dict(self.field.__get__(instance, owner))

    def __set__(self, instance, value):
        raise AttributeError("nodes are immutable")


def _new(cls, *args, **kwargs):
    """Makes a node from its fields, given by position or by name; the others have defaults."""
    fields = FIELDS[cls._kind_name]
    if len(args) > len(fields):
        raise TypeError(f"{cls.__name__} has {len(fields)} fields, not {len(args)}")
    values = [[i, value] for i, value in enumerate(args)]
    for key, value in kwargs.items():
        index = cls._index.get(key)
        if index is None or index < len(args):
            raise TypeError(f"{cls.__name__} has no further field '{key}'; its fields are "
                            + ", ".join(f[0] for f in fields))
        values.append([index, value])
    return _make_node(_KIND_NUMBERS[cls._kind_name], [v for v in values if v[1] is not None])


def generate(bases):
    """Makes the classes of all kinds; `bases` maps "Expr", "Stmt", "Op", "Node" to classes."""
    for number, name, base, fields in _ffi.get("ir.kinds")():
        FIELDS[name] = fields
        _KIND_NUMBERS[name] = number
        parents = (METHODS[name],) if name in METHODS else (bases[base],)
        signature = ", ".join(f[0] for f in fields)
        body = {
            "__slots__": (),
            "__module__": "lathe.ir",
            "_kind_name": name,
            "_index": {f[0]: i for i, f in enumerate(fields)},
            "__match_args__": tuple(f[0] for f in fields),
        }
        own = METHODS[name].__doc__ if name in METHODS else None
        body["__doc__"] = (own.rstrip() + "\n\n" if own else "") + f"Fields: {signature}."
        if not any("__new__" in c.__dict__ for c in parents[0].__mro__ if c is not object
                   and c not in (Object,)):
            body["__new__"] = _new
        for index, (field, kind, nullable, names) in enumerate(fields):
            what = "one of " + ", ".join(names) if names else kind
            doc = f"Field of {name}: {what}{', may be None' if nullable else ''}."
            prop = _core.Field(_get_field, index, doc)
            body[field] = _Dict(prop) if kind == "dict" else prop
        cls = type(name, parents, body)
        CLASSES[name] = cls
        _core.register_class(number, cls)
