"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.relay.expr import Expr as Expr
from lathe.runtime.device import Device as Device
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError

class Op:
    """An operator, by name: `relay.op.get("nn.conv2d")`.

    Example:
        >>> from lathe import relay
        >>> relay.op.get("add").name
        'add'
    """
    def __call__(self, *args: Any, **attrs: Any) -> Call: ...
    def __eq__(self, other: Any) -> Any: ...  # type: ignore[override]
    def __repr__(self) -> str: ...
    @property
    def description(self) -> Any:
        """What it computes, in a sentence."""

    def get_attr(self, attr_name: Any) -> Any: ...
    def has_attr(self, attr_name: Any) -> Any: ...
    @property
    def num_inputs(self) -> Any:
        """How many operands it takes; -1 if any number."""

    def same_as(self, other: Any) -> bool: ...
    def set_attr(self, attr_name: Any, value: Any, plevel: Any = ...) -> Any: ...
    def __init__(self, name: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

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
    def __getattr__(self, name: Any) -> Any: ...
    def get_int(self, key: Any) -> int: ...
    def get_int_tuple(self, key: Any) -> tuple[int, ...]: ...
    def stored_for(self, name: Any) -> Any: ...
    def __init__(self, attrs: Any = ..., name: Any = ..., stored: Any = ...) -> None: ...
    ...

class Call(Expr):
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
    @property
    def attrs(self) -> Attributes:
        """The attributes by name, with defaults filled in."""

    def __init__(self, op: Any, args: Any, attrs: Any = ..., type_args: Any = ..., span: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def plain(value: Any) -> Any:
    """An attribute's value in the form that the C++ functions take. Lists of lists become one list.

    Example:
        >>> from lathe import relay
        >>> relay.expr.plain(((0, 1), (2, 3)))
        [0, 1, 2, 3]
    """
