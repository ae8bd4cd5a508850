"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheError as LatheError

def register(name: Any) -> Any:
    """Registers a function of `contrib` under TVM's name.

    Returns:
        Is the name registered now? False if `contrib` has no such function, or if its library is missing.

    Example:
        >>> from lathe.contrib import _names_of_tvm
        >>> _names_of_tvm.register("tvm.contrib.random.uniform"), _names_of_tvm.register("tvm.contrib.sort.argsort")
        (True, False)
    """
