"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.relay.expr import Expr as Expr
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError
from lathe.relay._loop import Loop as Loop

class OfReference(Expr):
    """Base of the expressions of references.

    Example:
        >>> from lathe import relay
        >>> isinstance(relay.RefCreate(relay.const(1.0)), relay.reference.OfReference)
        True
    """
    def __init__(self, span: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class RefCreate(OfReference):
    """A new reference, which holds `value` at first.

    Example:
        >>> from lathe import relay
        >>> relay.RefCreate(relay.const(1.0)).checked_type
        Ref[float32[]]
    """
    @property
    def checked_type(self) -> Any:
        """A RefType."""

    def __init__(self, value: Any, span: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class RefRead(OfReference):
    """What a reference holds now.

    Example:
        >>> from lathe import relay
        >>> r = relay.Var("r")
        >>> body = relay.Let(r, relay.RefCreate(relay.const(0.0)), relay.exp(relay.RefRead(r)))
        >>> float(relay.create_executor("debug").evaluate(body).numpy())
        1.0
    """
    @property
    def checked_type(self) -> Any:
        """The type of the value. LatheTypeError if the operand is no reference."""

    def __init__(self, ref: Any, span: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class RefWrite(OfReference):
    """Makes a reference hold another value. The result is the empty tuple.

    Example:
        >>> from lathe import relay
        >>> r, u = relay.Var("r"), relay.Var("u")
        >>> body = relay.Let(r, relay.RefCreate(relay.const(1.0)),
        ...                  relay.Let(u, relay.RefWrite(r, relay.const(5.0)), relay.RefRead(r)))
        >>> float(relay.create_executor("debug").evaluate(body).numpy())
        5.0
    """
    @property
    def checked_type(self) -> Any:
        """The type of the empty tuple."""

    def __init__(self, ref: Any, value: Any, span: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

CLASSES: Any

def takes_references(func: Any) -> Any:
    """Has the function a parameter that is, or has within, a reference?

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> relay.reference.takes_references(relay.Function([x], x))
        False
    """

used: Any

def without_references(func: Any, functions: Any = ..., leaves: Any = ...) -> Any:
    """A Function that computes the same, without references.

    Args:
        func: a Function.
        functions: {name: Function}: those that it may call.
        leaves: ids of expressions that stay as they are.

    Raises:
        LatheError: `relay-reference`: a reference is a result, or its use cannot be followed.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> func = relay.Function([x], relay.RefRead(relay.RefCreate(x)))
        >>> relay.reference.without_references(func).body.name_hint
        'x'
    """
