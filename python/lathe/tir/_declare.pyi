"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheLookupError as LatheLookupError
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError
from lathe.error import notes_of_names as notes_of_names

class FuncAttrs(dict):
    """The attributes of a function. `attrs["global_symbol"]` is the function's name, which is not listed.

    Example:
        >>> from lathe import tir
        >>> func = tir.Func("f", [], tir.Evaluate(0)).with_attr("sizes", [1, 2])
        >>> func.attrs["sizes"], func.attrs["global_symbol"]
        ((1, 2), 'f')
    """
    def __contains__(self, key: Any) -> Any: ...
    def __missing__(self, key: Any) -> Any: ...
    @staticmethod
    def _read(value: Any) -> Any: ...
    def get(self, key: Any, default: Any = ...) -> Any: ...
    def __init__(self, name: Any, attrs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def number_of(value: Any) -> Any:
    """A number of NumPy's, or an array of NumPy's that holds one, as Python's number; all else as it is.

    Example:
        >>> import numpy as np
        >>> from lathe.tir._declare import number_of
        >>> number_of(np.bool_(True)), number_of("text")
        (True, 'text')
    """

def stored(key: Any, value: Any) -> Any:
    """The value of an attribute as nodes hold it.

    Args:
        key: the attribute's name, for errors.
        value: a number, also one of NumPy's, text, node or Target, or lists and dicts of numbers, texts and Targets.
            Numbers in lists and dicts lose their type: an IntImm of int64 comes back as an int.

    Returns:
        A number, text, bytes or node; a text that begins with "json:" for what is none of these.

    Raises:
        LatheError: `call-wrong-argument-kind`: it cannot be the value of an attribute.

    Example:
        >>> from lathe.tir import _declare
        >>> _declare.stored("shape", [1, 2])
        'json:[1, 2]'
    """
