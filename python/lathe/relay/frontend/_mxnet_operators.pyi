"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError

class Attributes:
    """The attributes of a node, which are texts in MXNet's files.

    Args:
        operator, name: of the node, for errors.
        given: {attribute: text}.
    """
    def flag(self, key: Any, default: Any = ...) -> Any: ...
    def numbers(self, key: Any, default: Any = ...) -> Any: ...
    def text(self, key: Any, default: Any = ..., choices: Any = ...) -> Any: ...
    def value(self, key: Any, default: Any = ...) -> Any: ...
    def wrong(self, key: Any, found: Any, expected: Any) -> Any: ...
    def __init__(self, operator: Any, name: Any, given: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class Operator:
    """How an operator is converted.

    Args:
        convert: (inputs, Attributes) -> an expression, or a list with one for each result.
        most: how many inputs are read; None: all.
    """
    def reads(self, count: Any) -> Any: ...
    def __init__(self, convert: Any, most: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

OPERATORS: Any

def expm1(x: Any) -> Any:
    """exp(x) - 1 of an expression. As `log1p`: a small x keeps its digits."""

def log1p(x: Any) -> Any:
    """log(1 + x) of an expression. What rounding takes from 1 + x is given back, so a small x keeps its digits."""

def operator(*names: Any, most: Any = ...) -> Any:
    """A decorator: the function converts the operators of these names."""

def shape_of(expr: Any) -> Any:
    """The extents as ints."""

def softrelu(x: Any) -> Any:
    """log(1 + exp(x)) of an expression, without overflow."""
