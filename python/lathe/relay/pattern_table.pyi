"""Written by python/stubs/make_stubs.py."""

from typing import Any

def get_pattern_table(compiler: Any) -> Any:
    """The patterns of a code generator; None if it has registered none.

    Example:
        >>> from lathe import relay
        >>> relay.op.contrib.get_pattern_table("nobody") is None
        True
    """

def register_pattern_table(compiler: Any, table: Any = ...) -> Any:
    """Notes the patterns that a code generator takes, for `get_pattern_table`.

    Args:
        compiler: its name.
        table: [(name, pattern)] or [(name, pattern, check)], as `transform.MergeComposite` takes
            it; or a function that returns it. Without it, this is a decorator.

    Example:
        >>> from lathe import relay
        >>> from lathe.relay.dataflow_pattern import is_op, wildcard
        >>> @relay.op.contrib.register_pattern_table("doc_npu")
        ... def table():
        ...     return [("doc_npu.relu", is_op("nn.relu")(wildcard()))]
        >>> len(relay.op.contrib.get_pattern_table("doc_npu"))
        1
    """
