"""Calls of operators and functions."""

import re

from .. import _ffi, _nodes, _type_params
from ..error import LatheTypeError, LatheValueError
from ..runtime.device import Device
from . import expr as _e
from . import ty

_get = _ffi.get
_prototype = _get("graph.prototype")


class Op:
    """An operator, by name: `relay.op.get("nn.conv2d")`.

    Example:
        >>> from lathe import relay
        >>> relay.op.get("add").name
        'add'
    """

    __slots__ = ("name",)

    def __init__(self, name):
        self.name = name

    def __eq__(self, other):
        return isinstance(other, Op) and other.name == self.name

    def __hash__(self):
        return hash(self.name)

    def same_as(self, other):
        """Is it the same operator?"""
        return self == other

    @property
    def num_inputs(self):
        """How many operands it takes; -1 if any number."""
        from . import _operators

        definition = _operators.DEFINITIONS[self.name]
        return -1 if definition.variadic else len(definition.inputs)

    @property
    def description(self):
        """What it computes, in a sentence."""
        from . import _operators

        return _operators.DEFINITIONS[self.name].doc

    def get_attr(self, attr_name):
        """The attribute that `ir.register_op_attr` gave the operator, or None; "TOpPattern" is always known."""
        from .. import ir

        if attr_name == "TOpPattern":
            from .op import op_pattern

            return op_pattern(self.name)
        return ir.op_attr(self.name, attr_name)

    def has_attr(self, attr_name):
        """Has it the attribute?"""
        return self.get_attr(attr_name) is not None

    def set_attr(self, attr_name, value, plevel=10):
        """Gives it an attribute, as `ir.register_op_attr` does."""
        from .. import ir

        ir.register_op_attr(self.name, attr_name, value, plevel)

    def __call__(self, *args, **attrs):
        """A call of the operator on expressions, with attributes by name."""
        return Call(self, args, attrs)

    def __repr__(self):
        return f"Op({self.name})"


# Operators with windows: convolutions and pools of one to three spatial dimensions.
_WINDOWED = re.compile(r"(?:conv|pool)([123])d")
# Attributes with a number for each spatial dimension.
_EACH = ("strides", "dilation", "pool_size", "kernel_size")
# Attributes that are None if they are not given, though lathe's default is another value.
_OR_NONE = {"units": 0, "channels": 0, "kernel_size": ()}


def _as_tvms(name, attrs):
    """Attributes in the form that Relay's builders give them: a number of padding for each side, none missing."""
    windowed = _WINDOWED.search(name)
    rank = int(windowed[1]) if windowed else 0
    made = dict(attrs)
    for key, value in attrs.items():
        if key in _OR_NONE and value == _OR_NONE[key]:
            made[key] = None
        elif rank and key in (*_EACH, "padding"):
            listed = value if isinstance(value, tuple) else (value,)
            listed = listed * rank if len(listed) == 1 else listed
            made[key] = listed * 2 if key == "padding" and len(listed) == rank else listed
    return made


class Attributes(dict):
    """The attributes of a call, with defaults filled in. They can be read as `attrs.axis`, too.

    Convolutions and pools have strides, dilation and sizes for each dimension, and padding for each side:
    first before all dimensions, then behind them. `units`, `channels` and `kernel_size` that were not given
    are None.

    Attributes:
        as_given: the attributes in the form that the program gave them, with the same defaults.

    Example:
        >>> from lathe import relay
        >>> relay.nn.softmax(relay.var("x", shape=(2, 3)), axis=1).attrs.axis
        1
        >>> x = relay.var("x", shape=(1, 3, 8, 8))
        >>> attrs = relay.nn.max_pool2d(x, pool_size=2, padding=1).attrs
        >>> attrs.pool_size, attrs.padding, attrs.as_given["padding"]
        ((2, 2), (1, 1, 1, 1), 1)
    """

    def __init__(self, attrs=(), name="", stored=None):
        given = dict(attrs)
        super().__init__(_as_tvms(name, given))
        self.__dict__.update(as_given=given, _name=name, _stored=given if stored is None else stored)

    def stored_for(self, name):
        """What a call of the operator `name` stores of them, so that a call that is made again is the same.

        A call stores what its program gave, in the given form, and no defaults.

        Args:
            name: of the operator that gets the attributes.

        Returns:
            A dict: these attributes themselves if a program changed them, or for another operator.

        Example:
            >>> from lathe import relay
            >>> x = relay.var("x", shape=(1, 3, 8, 8))
            >>> relay.nn.max_pool2d(x, pool_size=(2, 2), padding=(1, 1)).attrs.stored_for("nn.max_pool2d")["padding"]
            (1, 1)
        """
        if name == self._name and not self._changed():
            return self._stored
        return self

    def _changed(self):
        made = _as_tvms(self._name, self.as_given)
        # Items that are nodes are compared by identity: `==` of these makes an expression.
        return self.keys() != made.keys() or not all(
            self[key] is value or type(value) is type(self[key]) and not _has_nodes(value) and bool(value == self[key])
            for key, value in made.items())

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def get_int(self, key):
        """The attribute as an int."""
        return int(self[key])

    def get_int_tuple(self, key):
        """The attribute as a tuple of ints."""
        return tuple(int(n) for n in self[key])


class Call(_e.Expr):
    """A call of an operator (Op), of a function (an expression or a GlobalVar), or a Constructor.

    Args:
        op: what is called.
        args: the arguments.
        attrs: {name: value}, for an operator.
        type_args: the types that the callee's type variables stand for; by default, the arguments
            decide. Empty for operators.

    Raises:
        LatheError: `graph-unknown-op`, `graph-argument-count`, `graph-unknown-attribute`,
            `graph-attribute`.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2, 3))
        >>> relay.Call(relay.op.get("nn.softmax"), [x], {"axis": -1}).checked_type
        float32[2, 3]
    """

    __slots__ = ("op", "args", "type_args", "_node")

    def __init__(self, op, args, attrs=None, type_args=None, span=None):
        super().__init__(span)
        if isinstance(op, str):
            op = Op(op)
        self.type_args = tuple(type_args or ())
        if self.type_args:
            _type_params.used = True
        if self.type_args and isinstance(op, Op):
            raise LatheValueError("calls of operators take no type arguments", "relay-type-arguments",
                                  "help: leave `type_args` out")
        self.op = op
        self.args = [_e.as_expr(arg, f"argument {i} of {op!r}") for i, arg in enumerate(args)]
        self._node = None
        if isinstance(op, Op):
            if isinstance(attrs, Attributes):
                attrs = attrs.stored_for(op.name)
            given = [[name, plain(value)] for name, value in dict(attrs or {}).items()
                     if value is not None]
            self._node = _prototype(op.name, len(self.args), given)
            if any(_has_nodes(value) for _, value in given):
                self._node = ty.sized(self._node)
        elif not isinstance(op, _e.Expr):
            raise LatheTypeError("what is called is neither an operator nor a function",
                                 "relay-expression-type", f"found: {type(op).__name__}")
        elif attrs:
            raise LatheValueError("a call of a function has no attributes", "relay-attributes")

    def _heading(self):
        return self.op.name if isinstance(self.op, Op) else repr(self.op)

    @property
    def attrs(self):
        """The attributes by name, with defaults filled in."""
        if self._node is None:
            return Attributes()
        from . import _operators

        stored = dict(_listed(self._node))
        return Attributes({**_operators.defaults(self.op.name), **stored}, self.op.name, stored)


def _has_nodes(value):
    if isinstance(value, (list, tuple)):
        return any(_has_nodes(item) for item in value)
    return isinstance(value, _nodes.Node)


def _listed(node):
    return [(name, tuple(value) if isinstance(value, list) else value)
            for name, value in _get("graph.attrs")(node)]


def plain(value):
    """An attribute's value in the form that the C++ functions take. Lists of lists become one list.

    Example:
        >>> from lathe import relay
        >>> relay.expr.plain(((0, 1), (2, 3)))
        [0, 1, 2, 3]
    """
    if isinstance(value, (list, tuple)):
        items = [plain(item) for item in value]
        return [one for item in items for one in (item if isinstance(item, list) else [item])]
    if isinstance(value, (bool, int, float, str, _nodes.Node)):
        return value
    if isinstance(value, type) and hasattr(value, "itemsize"):  # a class of NumPy's, such as numpy.float32
        return value.__name__.rstrip("_")
    if isinstance(value, Device):
        from .annotation import device_name

        return device_name(value)
    if isinstance(value, _e.Constant):
        return plain(value.data)
    if hasattr(value, "numpy"):
        value = value.numpy()
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return str(value)
