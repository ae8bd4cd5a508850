"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError

class Region:
    """What one code generator takes.

    Attributes:
        compiler: its name.
        inside: {id: expression}, without the marks.
        begins, ends: the marks, in the order of the function.
    """
    def __init__(self, compiler: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class Regions:
    """The regions of a function; they can be joined.

    Args:
        func: a relay.Function without lets.

    Raises:
        LatheValueError: `relay-annotation`: marks of two code generators around one expression.
    """
    @staticmethod
    def _check(compiler: Any, mark: Any, reader: Any) -> Any: ...
    def is_within(self, begin: Any) -> Any: ...
    def merge(self) -> Any: ...
    def regions(self) -> Any: ...
    def root(self, key: Any) -> Any: ...
    def __init__(self, func: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def is_mark(expr: Any, mark: Any) -> Any:
    """Is it a call of BEGIN, or of END?"""

def outermost(func: Any) -> Any:
    """The ids of the expressions that belong to no inner body."""
