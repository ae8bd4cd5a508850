"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.relay.expr import Expr as Expr

class Opaque(Expr):
    """A value that expressions cannot describe: a loop, or what needs data types of a module that is
    not there.

    Args:
        node: the value.
        inner: how many bindings its bodies have.
        read: the variables of outer bodies that it reads.
        used: the expressions that stand for these variables.
    """
    def __init__(self, node: Any, inner: Any, read: Any, used: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def function_of(func: Any, datatypes: Any = ...) -> Any:
    """The Function for a typed GraphFunc.

    Args:
        func: the GraphFunc.
        datatypes: {name: TypeData}, those of its module.
    """
