"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.relay.expr import Expr as Expr

class Opaque(Expr):
    """A value that expressions cannot describe: a loop, a match, a value of a data type."""
    def __init__(self, node: Any, used: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def function_of(func: Any) -> Any:
    """The Function for a typed GraphFunc."""
