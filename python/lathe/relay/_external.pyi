"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe._irmodule import IRModule as IRModule
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError
from lathe.runtime.module import Module as Module
from lathe.runtime.packed_func import get_global_func as get_global_func
from lathe.runtime.packed_func import list_global_func_names as list_global_func_names
from lathe.relay.analysis import post_order as post_order
from lathe.runtime.packed_func import python_function as python_function

def compiled(module: Any) -> Any:
    """(the module with calls of packed functions instead, [the runtime modules that have them]).

    Raises:
        LatheError: `relay-codegen`: the registry has no code generator of that name, or it gives
            no module with the function; and what the code generator raises.
    """
