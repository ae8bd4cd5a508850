"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheError as LatheError
from lathe.error import LatheTypeError as LatheTypeError

class Instances:
    """Makes functions without type parameters of those of a module.

    Args:
        functions: {name: Function or None}.
        definitions: {name: TypeData}.

    Attributes:
        made: {name: Function}: instances of the module's functions with type parameters.
        datatypes: {name: TypeData}: instances of its data types.
    """
    def data_type(self, one: Any) -> Any: ...
    def function(self, func: Any, leaves: Any = ...) -> Any: ...
    def meet(self, one: Any) -> Any: ...
    def of_global(self, name: Any, args: Any, type_args: Any, where: Any) -> Any: ...
    def __init__(self, functions: Any = ..., definitions: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def is_generic(expr: Any) -> Any:
    """Is it a function with type parameters?"""
