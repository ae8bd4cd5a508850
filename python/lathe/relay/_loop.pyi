"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.relay.expr import Expr as Expr

class Loop(Expr):
    """carried = start; while test: carried = body. The value is the tuple of what is carried.

    Args:
        start: expressions.
        carried: as many variables with types, which `test` and `body` read.
        test: an expression, a bool of rank 0.
        body: an expression that gives a tuple of the types of `carried`.
        type_of: the TupleType of the result.
    """
    def __init__(self, start: Any, carried: Any, test: Any, body: Any, type_of: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...
