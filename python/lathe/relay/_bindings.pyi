"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.relay._instances import Instances as Instances
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError
from lathe.relay._loop import Loop as Loop
from lathe.relay._read import Opaque as Opaque

class Converter:
    """Converts the function `name` of a module.

    Args:
        known: {id of an expression: the parameter that stands for it}.
        functions: {name: Function of the module}.
        default_name: of calls that no let names.
        instances: makes functions without type parameters; by default, of what `functions` has.
    """
    @staticmethod
    def _let(expr: Any, step: Any, scope: Any, names: Any, work: Any) -> Any: ...
    def function(self, func: Any, name: Any) -> Any: ...
    def __init__(self, known: Any = ..., functions: Any = ..., default_name: Any = ..., instances: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def called_by(func: Any) -> Any:
    """The names of the module's functions that a function calls, in the order of the graph."""

def simple_functions(items: Any, definitions: Any) -> Any:
    """([(name, Function)], Instances): a module's functions without references and type parameters.

    Args:
        items: (name, Function) for each function, callees first.
        definitions: {name: TypeData} of the module.
    """
