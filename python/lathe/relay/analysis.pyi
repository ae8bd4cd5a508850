"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.relay.expr as _relay
from lathe.relay._counts import CallGraph as CallGraph
from lathe.relay._counts import Feature as Feature
from lathe.relay._loop import Loop as Loop
from lathe._graph_types import Type as Type
from lathe.relay._counts import count_layers as count_layers
from lathe.relay._counts import detect_feature as detect_feature
from lathe.relay._counts import extract_fused_functions as extract_fused_functions
from lathe.relay._counts import get_total_mac_number as get_total_mac_number
from lathe.relay._counts import list_fake_quantized_op_freqs as list_fake_quantized_op_freqs
from lathe.relay._counts import list_op_freqs as list_op_freqs

def all_dtypes(expr: Any) -> set[str]:
    """The element types of all tensors in `expr`: a set of str.

    Example:
        >>> from lathe import relay
        >>> sorted(relay.analysis.all_dtypes(relay.const(1).astype("float32")))
        ['float32', 'int32']
    """

def all_type_vars(expr: Any, mod: Any = ...) -> Any:
    """The type variables of a type or an expression, in the order of their first use.

    Args:
        expr: a type, or an expression whose annotations are meant.
        mod: without effect, for old programs.

    Example:
        >>> from lathe import relay
        >>> a, b = relay.TypeVar("a"), relay.TypeVar("b")
        >>> x = relay.Var("x", a)
        >>> relay.analysis.all_type_vars(relay.Function([x], x, a, [a, b]))
        [a, b]
    """

def all_vars(expr: Any) -> list[_relay.Var]:
    """All variables of `expr`.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> len(relay.analysis.all_vars(x + x))
        1
    """

def bound_type_vars(expr: Any, mod: Any = ...) -> Any:
    """The type variables that functions in a type or an expression declare.

    Example:
        >>> from lathe import relay
        >>> a, b = relay.TypeVar("a"), relay.TypeVar("b")
        >>> relay.analysis.bound_type_vars(relay.Function([relay.Var("x", a)], relay.Var("y", b), b, [a]))
        [a]
    """

def bound_vars(expr: Any) -> list[_relay.Var]:
    """The variables that `expr` binds: parameters, those of lets and of patterns.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> [v.name_hint for v in relay.analysis.bound_vars(relay.Function([x], x))]
        ['x']
    """

def check_constant(expr: Any) -> bool:
    """Is `expr` a constant, or a tuple of constants?

    Example:
        >>> from lathe import relay
        >>> relay.analysis.check_constant(relay.const(1))
        True
    """

def free_type_vars(expr: Any, mod: Any = ...) -> Any:
    """The type variables that no function in a type or an expression declares.

    Example:
        >>> from lathe import relay
        >>> a, b = relay.TypeVar("a"), relay.TypeVar("b")
        >>> relay.analysis.free_type_vars(relay.Function([relay.Var("x", a)], relay.Var("y", b), b, [a]))
        [b]
    """

def free_vars(expr: Any) -> list[_relay.Var]:
    """The variables of `expr` that nothing in it binds, in the order of their first use.

    Example:
        >>> from lathe import relay
        >>> x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(2,))
        >>> [v.name_hint for v in relay.analysis.free_vars(y + x)]
        ['y', 'x']
    """

def has_sizes(expr: Any) -> bool:
    """Does the type of `expr` depend on sizes that the caller chooses?

    Example:
        >>> from lathe import relay
        >>> relay.analysis.has_sizes(relay.var("x", shape=(relay.Any(), 2)))
        True
    """

def post_order(expr: Any) -> list[_relay.Expr]:
    """The expressions that `expr` consists of, operands first, each once.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> [type(e).__name__ for e in relay.analysis.post_order(x + x)]
        ['Var', 'Call']
    """

def post_order_visit(expr: Any, fvisit: Any) -> None:
    """Calls `fvisit` for each part of `expr`, operands first.

    Example:
        >>> from lathe import relay
        >>> seen = []
        >>> relay.analysis.post_order_visit(relay.const(1) + relay.const(2), seen.append)
        >>> len(seen)
        3
    """

def well_formed(expr: Any) -> bool:
    """Is each variable bound at most once?

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> relay.analysis.well_formed(relay.Function([x], x))
        True
    """
