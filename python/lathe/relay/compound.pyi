"""Written by python/stubs/make_stubs.py."""

from typing import Any, Iterator
import lathe.relay.expr as _relay
from lathe.relay.expr import Expr as Expr
from lathe._type_params import IncompleteType as IncompleteType
from lathe.error import LatheTypeError as LatheTypeError
from lathe._type_params import declared as declared

class TupleWrapper:
    """The results of an operator that has several: indexes, unpacks, and `astuple()`.

    Example:
        >>> from lathe import relay
        >>> weights = [relay.var(name) for name in ("gamma", "beta", "mean", "variance")]
        >>> y, mean, variance = relay.nn.batch_norm(relay.var("x", shape=(2, 3)), *weights)
        >>> mean.checked_type
        float32[3]
    """
    def __getitem__(self, index: Any) -> _relay.TupleGetItem: ...
    def __iter__(self) -> Iterator[_relay.Expr]: ...
    def __len__(self) -> int: ...
    def __repr__(self) -> str: ...
    def astext(self, show_meta_data: Any = ...) -> str: ...
    def astuple(self) -> _relay.Expr: ...
    @property
    def checked_type(self) -> Any:
        """The tuple's type."""

    def __init__(self, tuple_value: Any, size: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class Function(Expr):
    """A function of variables.

    Args:
        params: a list of Var. Those of a module's function must have types.
        body: the result; a list or tuple of results becomes a Tuple.
        ret_type: the result's type; only a function that calls itself needs it.
        type_params: TypeVars that stand for types of parameters and result, mostly none. Each call decides
            which types they are.
        attrs: {name: value}, notes for passes.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> relay.Function([x], x + x).checked_type
        fn(float32[2]) -> float32[2]
    """
    def with_attr(self, attr_key_or_dict: Any, attr_value: Any = ...) -> Function: ...
    def __init__(self, params: Any, body: Any, ret_type: Any = ..., type_params: Any = ..., attrs: Any = ..., span: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class If(Expr):
    """`true_branch` if the condition (a bool of rank 0) is true, else `false_branch`.

    Only the chosen branch is computed. The branches have the same type.

    Example:
        >>> from lathe import relay
        >>> c = relay.var("c", shape=(), dtype="bool")
        >>> relay.If(c, relay.const(1.0), relay.const(2.0)).checked_type
        float32[]
    """
    def __init__(self, cond: Any, true_branch: Any, false_branch: Any, span: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class Let(Expr):
    """`value`, bound to `variable` in `body`.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x")
        >>> relay.Let(x, relay.const(2.0), x * x).checked_type
        float32[]
    """
    def __init__(self, variable: Any, value: Any, body: Any, span: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class Tuple(Expr):
    """A tuple of expressions.

    Example:
        >>> from lathe import relay
        >>> relay.Tuple([relay.const(1), relay.const(2.0)]).checked_type
        (int32[], float32[])
    """
    def __getitem__(self, index: Any) -> _relay.Expr: ...
    def __iter__(self) -> Iterator[_relay.Expr]: ...
    def __len__(self) -> int: ...
    def __init__(self, fields: Any, span: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class TupleGetItem(Expr):
    """Field `index` of a tuple.

    Example:
        >>> from lathe import relay
        >>> relay.TupleGetItem(relay.Tuple([relay.const(1), relay.const(2.0)]), 1).checked_type
        float32[]
    """
    def __init__(self, tuple_value: Any, index: Any, span: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def bind(expr: Any, binds: Any) -> Any:
    """`expr` with variables replaced.

    Args:
        expr: an expression. Parameters of a Function that are replaced are no longer parameters.
        binds: {Var, or name of a parameter of `expr`: expression}.

    Example:
        >>> from lathe import relay
        >>> x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(2,))
        >>> len(relay.bind(relay.Function([x, y], x + y), {y: relay.const([1.0, 2.0])}).params)
        1
    """
