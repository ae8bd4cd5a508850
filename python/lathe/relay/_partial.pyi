"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.relay._loop import Loop as Loop
from lathe.relay.reference import without_references as without_references

def evaluated(func: Any, functions: Any) -> Any:
    """A Function that computes the same, in which nothing that is known is left to compute.

    Args:
        func: a Function.
        functions: {name: Function}: those that it may call.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> double = relay.Function([h := relay.var("h", shape=(2,))], h + h)
        >>> made = relay._partial.evaluated(relay.Function([x], relay.If(relay.const(True), double(x), x)), {})
        >>> made.body.op
        Op(add)
    """
