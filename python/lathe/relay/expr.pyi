"""Written by python/stubs/make_stubs.py."""

from typing import Any, Iterator
import lathe.relay.expr as _relay
import lathe.runtime.tensor as _tensor
from lathe.relay.call import Attributes as Attributes
from lathe.relay.call import Call as Call
from lathe.relay.compound import Function as Function
from lathe.relay.compound import If as If
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError
from lathe.relay.compound import Let as Let
from lathe.relay.call import Op as Op
from lathe.relay.compound import Tuple as Tuple
from lathe.relay.compound import TupleGetItem as TupleGetItem
from lathe.relay.compound import TupleWrapper as TupleWrapper
from lathe.relay.compound import bind as bind
from lathe.relay.call import plain as plain

class Expr:
    """Base of the expressions.

    Numbers may stand for constants in arithmetic (`x * 2`): they take the other operand's element
    type. `str(expr)` is its text as a graph.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2, 3))
        >>> ((x + 1.0) * x).checked_type
        float32[2, 3]
    """
    def __add__(self, other: Any) -> Expr: ...
    def __bool__(self) -> bool: ...
    def __call__(self, *args: Any) -> _relay.Call: ...
    def __floordiv__(self, other: Any) -> Expr: ...
    def __ge__(self, other: Any) -> Expr: ...
    def __getitem__(self, index: Any) -> Expr: ...
    def __gt__(self, other: Any) -> Expr: ...
    def __iter__(self) -> Iterator[Expr]: ...
    def __le__(self, other: Any) -> Expr: ...
    def __len__(self) -> int: ...
    def __lt__(self, other: Any) -> Expr: ...
    def __mod__(self, other: Any) -> Expr: ...
    def __mul__(self, other: Any) -> Expr: ...
    def __neg__(self) -> Expr: ...
    def __pow__(self, other: Any) -> Expr: ...
    def __radd__(self, other: Any) -> Expr: ...
    def __repr__(self) -> str: ...
    def __rfloordiv__(self, other: Any) -> Expr: ...
    def __rmod__(self, other: Any) -> Expr: ...
    def __rmul__(self, other: Any) -> Expr: ...
    def __rpow__(self, other: Any) -> Expr: ...
    def __rsub__(self, other: Any) -> Expr: ...
    def __rtruediv__(self, other: Any) -> Expr: ...
    def __str__(self) -> str: ...
    def __sub__(self, other: Any) -> Expr: ...
    def __truediv__(self, other: Any) -> Expr: ...
    def astext(self, show_meta_data: Any = ...) -> str: ...
    def astype(self, dtype: Any) -> Expr: ...
    @property
    def checked_type(self) -> Any:
        """The expression's type.

        Raises:
            LatheError: the operands do not fit (`graph-argument`, ...), or a variable has no type.
        """

    def same_as(self, other: Any) -> bool: ...
    @property
    def span(self) -> tuple[str, int] | None:
        """(file, line) of the user's code that made the expression, the Span that it was given, or None."""

    def __init__(self, span: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class Constant(Expr):
    """A tensor that is known when the graph is compiled.

    Args:
        data: a Tensor, whose memory is shared and must not change afterwards.
        name: "", or the name of the parameter that it was: it can be replaced by that name in the
            compiled graph.

    Example:
        >>> from lathe import relay
        >>> relay.const([1.0, 2.0]).data.numpy().tolist()
        [1.0, 2.0]
    """
    @property
    def data(self) -> _tensor.Tensor:
        """The elements: a Tensor that cannot be written."""

    def __init__(self, data: Any, name: Any = ..., span: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class GlobalVar(Expr):
    """The name of a function of the module. Calls of it call that function.

    Example:
        >>> from lathe import relay
        >>> relay.GlobalVar("main").name_hint
        'main'
    """
    def __call__(self, *args: Any) -> Any: ...
    def __eq__(self, other: Any) -> Any: ...  # type: ignore[override]
    def __repr__(self) -> str: ...
    def __init__(self, name_hint: Any, type_annot: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class Var(Expr):
    """A variable: a parameter of a function, or bound by a Let. Has identity.

    Args:
        name_hint: its name, which callers use to set it.
        type_annotation: its type, or None: then it is inferred where the variable is bound.

    Example:
        >>> from lathe import relay
        >>> relay.Var("x", relay.TensorType((2,))).name_hint
        'x'
    """
    def __repr__(self) -> str: ...
    @property
    def type_annotation(self) -> Any:
        """Its type, or None if it is not known. An operator that takes weights sets it."""

    def __init__(self, name_hint: Any, type_annotation: Any = ..., span: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def as_expr(value: Any, what: Any = ...) -> Expr:
    """`value` as an expression: a list or tuple becomes a Tuple, a number or array a constant.

    Args:
        value: an expression, list, tuple, number or array.
        what: what it is, for the error.

    Raises:
        LatheTypeError: `relay-expression-type`.

    Example:
        >>> from lathe import relay
        >>> type(relay.expr.as_expr([relay.const(1), relay.const(2)])).__name__
        'Tuple'
    """

def const(value: Any, dtype: Any = ..., span: Any = ...) -> Constant:
    """A constant.

    Args:
        value: a number, list, array or Tensor. Arrays are copied; a Tensor's memory is shared and
            must not change afterwards.
        dtype: the element type; that of the value by default, and int32 or float32 for Python's
            numbers.

    Example:
        >>> from lathe import relay
        >>> relay.const(3).checked_type, relay.const([1.5, 2.5]).checked_type
        (int32[], float32[2])
    """

def var(name_hint: Any, type_annotation: Any = ..., shape: Any = ..., dtype: Any = ..., span: Any = ...) -> Var:
    """A new variable.

    Args:
        name_hint: its name.
        type_annotation: its type; or give `shape` and `dtype`. Without both, the type is inferred
            where the variable is bound.
        shape: the extents.
        dtype: the element type.
        span: a Span, instead of the line that calls this.

    Raises:
        LatheValueError: both a type and a shape are given.

    Example:
        >>> from lathe import relay
        >>> relay.var("x", shape=(relay.Any("n"), 3), dtype="int8").type_annotation
        int8[n, 3]
    """
