"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe._core import Function as Function
from lathe._core import Function as PackedFunc

def convert_to_function(callable_: Any) -> Any:
    """A Python callable as a packed function.

    Example:
        >>> import lathe
        >>> lathe.runtime.convert_to_function(lambda x: x * 2)(21)
        42
    """

def get_global_func(name: Any, allow_missing: Any = ...) -> Any:
    """The function of a name in the registry; a plugin that provides it is loaded.

    Args:
        name: its name.
        allow_missing: return None instead of raising where there is none.

    Raises:
        LatheError: `registry-not-found`, with the nearest known names.

    Example:
        >>> import lathe
        >>> lathe.get_global_func("no.such.function", allow_missing=True) is None
        True
    """

def list_global_func_names(prefix: Any = ...) -> Any:
    """The names in the registry, sorted.

    Example:
        >>> import lathe
        >>> "te.compute" in lathe.runtime.list_global_func_names("te.")
        True
    """

def register_func(func_name: Any, f: Any = ..., override: Any = ..., *, exported: Any = ...) -> Any:
    """Puts a Python function into the registry, where C++ and compiled code find it.

    Args:
        func_name: its name; or the function itself, registered under its own name.
        f: the function; without it, this is a decorator.
        override: whether it may take the place of another.
        exported: whether sessions from elsewhere may call it by its name, with whatever arguments.

    Raises:
        LatheError: `registry-name-taken`.

    Example:
        >>> import lathe
        >>> @lathe.register_func("doc.add", override=True)
        ... def add(x, y):
        ...     return x + y
        >>> lathe.get_global_func("doc.add")(1, 2)
        3
    """

def remove_global_func(name: Any) -> Any:
    """Takes a name out of the registry.

    Example:
        >>> import lathe
        >>> _ = lathe.register_func("doc.gone", lambda: 1, override=True)
        >>> lathe.runtime.remove_global_func("doc.gone")
        >>> lathe.get_global_func("doc.gone", allow_missing=True) is None
        True
    """
