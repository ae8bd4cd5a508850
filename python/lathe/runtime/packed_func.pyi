"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe._core import Function as Function

class Described:
    """What a packed function shows of itself.

    Args:
        name: its name.
        parameters: [(name, type as text)]; None if they are not known.

    Example:
        >>> from lathe.runtime.packed_func import Described
        >>> str(Described("add", [("a", "float32[4]")]))
        'add(a: float32[4])'
    """
    def __str__(self) -> str: ...
    def signature(self) -> Any: ...
    def __init__(self, name: Any, parameters: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

PackedFunc = Function

def convert_to_function(callable_: Any) -> Any:
    """A Python callable as a packed function.

    Example:
        >>> import lathe
        >>> lathe.runtime.convert_to_function(lambda x: x * 2)(21)
        42
    """

def get_global_func(name: Any, allow_missing: Any = ...) -> Any:
    """The function with a name in the registry. If a plugin provides it, the plugin is loaded.

    Args:
        name: its name.
        allow_missing: if there is none, return None instead of raising.

    Raises:
        LatheError: `registry-not-found`, with the nearest known names; it is also a ValueError.

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

def python_function(name: Any) -> Any:
    """The Python function with a name in the registry; None if it is none, or somebody else's.

    Unlike what `get_global_func` gives, it takes and returns any Python object.

    Example:
        >>> import lathe
        >>> _ = lathe.register_func("doc.python", lambda x: x, override=True)
        >>> lathe.runtime.packed_func.python_function("doc.python")([{}])
        [{}]
    """

def ready(name: Any) -> Any:
    """Registers the function of a name of TVM's, such as "tvm.contrib.random.uniform", if `contrib` has it.

    `tir.call_packed` and `get_global_func` call it, so that compiled code finds these functions.

    Example:
        >>> import lathe
        >>> lathe.runtime.packed_func.ready("tvm.contrib.random.normal")
        >>> "tvm.contrib.random.normal" in lathe.runtime.list_global_func_names("tvm.contrib.")
        True
    """

def register_func(func_name: Any, f: Any = ..., override: Any = ..., *, exported: Any = ...) -> Any:
    """Registers a Python function, so that C++ and compiled code can find it.

    Args:
        func_name: its name; or the function itself, which is then registered under its own name.
        f: the function; without it, this is a decorator.
        override: whether it may replace a function of that name.
        exported: whether remote sessions may call it by name, with arbitrary arguments.

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
    """Removes a name from the registry.

    Example:
        >>> import lathe
        >>> _ = lathe.register_func("doc.gone", lambda: 1, override=True)
        >>> lathe.runtime.remove_global_func("doc.gone")
        >>> lathe.get_global_func("doc.gone", allow_missing=True) is None
        True
    """
