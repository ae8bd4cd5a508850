"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError

class FuncAttrs(dict):
    """The attributes of a function. `attrs["global_symbol"]` is the function's name.

    Example:
        >>> from lathe import tir
        >>> func = tir.Func("f", [], tir.Evaluate(0)).with_attr("sizes", [1, 2])
        >>> func.attrs["sizes"], func.attrs["global_symbol"]
        ((1, 2), 'f')
    """
    def __missing__(self, key: Any) -> Any: ...
    @staticmethod
    def _read(value: Any) -> Any: ...
    def __init__(self, name: Any, attrs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def stored(key: Any, value: Any) -> Any:
    """The value of an attribute as nodes hold it.

    Raises:
        LatheError: `call-wrong-argument-kind`: it cannot be the value of an attribute.

    Example:
        >>> from lathe.tir import _declare
        >>> _declare.stored("shape", [1, 2])
        'json:[1, 2]'
    """
