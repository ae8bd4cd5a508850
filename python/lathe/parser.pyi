"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError

def fromtext(source: Any, source_name: Any = ...) -> Any:
    """The module for a text of Relay's or of lathe's, or the expression if the text is one of Relay's.

    Example:
        >>> import lathe
        >>> type(lathe.parser.fromtext("fn (%x: float32) { %x + 1f }")).__name__
        'Function'
    """

def parse(source: Any, source_name: Any = ..., init_module: Any = ..., init_meta_table: Any = ...) -> Any:
    """The module for a text of Relay's, or for one that lathe printed (`mod.astext()`).

    Args:
        source: the text. In a text of Relay's, data types and functions have no type parameters.
        source_name: for errors.
        init_module: an IRModule that gets the functions, instead of a new one.
        init_meta_table: {"relay.Constant": [tensor, ...]}: what `meta[relay.Constant][0]` in the text stands for.

    Raises:
        LatheError: `relay-text`, with line and column; `relay-text-type`; or the graph is wrong.

    Example:
        >>> import lathe
        >>> mod = lathe.parser.parse("def @main(%x: int32) { let %y = %x * 2; (%y, %x).0 }")
        >>> mod["main"].checked_type
        fn(int32[]) -> int32[]
    """

def parse_expr(source: Any) -> Any:
    """The expression for a text of Relay's.

    Example:
        >>> import lathe
        >>> lathe.parser.parse_expr("add(1f, 2f)").op
        Op(add)
    """
