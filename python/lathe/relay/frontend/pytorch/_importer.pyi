"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheError as LatheError
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError
from lathe.relay._loop import Loop as Loop
from lathe.relay.frontend.pytorch._quantized import Quantized as Quantized
from lathe.relay.analysis import post_order as post_order

class Importer:
    """The state of one import.

    Args:
        custom: {qualified name of an operator: function(inputs, input_types) -> expression}.
        friendly: are dots in names replaced?
    """
    @staticmethod
    def _folds(qualified: Any, name: Any, values: Any) -> Any: ...
    def bind(self, name: Any, value: Any) -> Any: ...
    def call(self, place: Any, qualified: Any, overload: Any, names: Any, values: Any) -> Any: ...
    def closed(self, result: Any) -> Any: ...
    def function(self, result: Any) -> Any: ...
    def input(self, name: Any, shape: Any, dtype: Any) -> Any: ...
    def known(self, qualified: Any, overload: Any = ...) -> Any: ...
    def name(self, text: Any) -> Any: ...
    def parameter(self, name: Any, tensor: Any) -> Any: ...
    def __init__(self, custom: Any = ..., friendly: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class Place:
    """Where in the model an operator is: for names and errors."""
    def __str__(self) -> str: ...
    def __init__(self, kind: Any, names: Any, detail: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

CLASSES: Any

def flat(values: Any) -> Any:
    """The tensors and numbers in lists, tuples and dicts, in order."""

def run_now(qualified: Any, overload: Any, values: Any) -> Any:
    """What PyTorch gives for known operands."""

def tuple_of(values: Any) -> Any:
    """The expression of results: one tensor, or a tuple."""

def tuple_type(types: Any) -> Any:
    """The type of a tuple."""

def unsupported(counts: Any) -> Any:
    """The error that lists all operators that cannot be imported.

    Args:
        counts: {qualified name: how often the model has it}.
    """

def with_place(error: Any, place: Any) -> Any:
    """The same error; its message begins with the node, unless it names one already."""
