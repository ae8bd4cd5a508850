"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.relay.expr as _relay

def pad(data: Any, pad_width: Any, pad_value: Any = ..., pad_mode: Any = ...) -> _relay.Expr:
    """nn.pad with widths that a run knows: before and after each dimension. Negative ones cut off. A composition.

    Args:
        data: an expression. The input (a floating type, an integer type or bool).
        pad_width: an expression. [rank of `data`, 2] (int32 or int64).
        pad_value: an expression, or None. []; left out: 0 (a floating type, an integer type or bool).
        pad_mode: a str. What the frame has: `pad_value`, the nearest element, the elements mirrored without the last one, or those of the other end. One of "constant", "edge", "reflect", "wrap".

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.dyn.nn.pad(relay.var("data", shape=(5, 4)), relay.var("pad_width", shape=(2, 2), dtype="int64"))
    """
