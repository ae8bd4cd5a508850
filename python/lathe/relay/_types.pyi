"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheError as LatheError
from lathe.error import LatheTypeError as LatheTypeError
from lathe.relay.analysis import free_vars as free_vars

CLASSES: Any

def infer(expr: Any) -> Any:
    """Sets the types of `expr` and of all that it is computed from.

    What has a type already stands for itself, so each expression is looked at once, however often
    a program asks for types while it builds a graph.
    """

def text_of(expr: Any, with_data: Any) -> Any:
    """The text of an expression as a function of its free variables."""

def typed_module(functions: Any, *converters: Any, datatypes: Any = ...) -> Any:
    """The module of these functions with all types.

    Args:
        functions: GraphFuncs.
        converters: the converter of each; errors show where it says that an expression was made.
        datatypes: TypeDatas, beside those of the constructors that the functions use.
    """
