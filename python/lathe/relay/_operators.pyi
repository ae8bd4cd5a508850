"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError

class Definition:
    """What is known of an operator: the parts of graph/op.h."""
    def __init__(self, row: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

DEFINITIONS: Any

def builder(name: Any) -> Any:
    """The builder of an operator by its name, such as "nn.conv2d"."""

def changed_attrs(name: Any, attrs: Any, *without: Any) -> Any:
    """The attributes of `attrs` that differ from the operator's defaults."""

def defaults(name: Any) -> Any:
    """{attribute: default} of an operator, without those that must be given."""

def fields_of(value: Any) -> Any:
    """The expressions of a list, a tuple, or an expression that gives a tuple."""

def install(namespace: Any, prefix: Any) -> Any:
    """Puts the builders of the operators `prefix` + name into a module's namespace.

    `_generated` there lists them: {name: operator}.
    """
