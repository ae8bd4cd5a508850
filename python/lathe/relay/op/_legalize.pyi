"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe import ir as ir
from lathe.relay.analysis import post_order as post_order

def legalized(func: Any, key: Any = ...) -> Any:
    """A function whose calls have the forms that are registered under an attribute.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> relay.op._legalize.legalized(relay.Function([x], x), "doc.no_form").body.name_hint
        'x'
    """

def register_legalize(op_name: Any, legal_op: Any = ..., level: Any = ...) -> Any:
    """Registers the form that calls of an operator get before they are compiled.

    `relay.build` and `relay.vm.compile` apply it first; `relay.transform.Legalize` alone, too.

    Args:
        op_name: the operator.
        legal_op: (attributes, operands, types) -> an expression of the result's type, or None: the call
            stays. `types` are those of the operands, then that of the result. Without it, this is a decorator.
        level: the function of the highest level counts.

    Example:
        >>> from lathe import relay
        >>> from lathe.relay.testing.temp_op_attr import TempOpAttr
        >>> def wide(attrs, args, types):
        ...     return relay.maximum(args[0], relay.const(0.0))
        >>> with TempOpAttr("nn.relu", "FTVMLegalize", wide):
        ...     made = relay.transform.Legalize()(relay.nn.relu(relay.var("x", shape=(2,))))
        >>> made["main"].body.op
        Op(maximum)
    """
