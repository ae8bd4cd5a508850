"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe._core import Object as Object

class Node(Object):
    """Base of everything in the IR: immutable, compared and hashed by identity.

    `str(node)` is its text. `lathe.ir.parse` reads it back if the text is complete by itself.
    """
    def __repr__(self) -> str: ...
    def __str__(self) -> str: ...
    def astext(self) -> Any: ...
    def show(self) -> Any: ...
    ...

CLASSES: Any

FIELDS: Any

METHODS: Any

def generate(bases: Any) -> Any:
    """Makes the classes of all kinds; `bases` maps "Expr", "Stmt", "Op", "Node" to classes."""

def methods_of(name: Any) -> Any:
    """A decorator: the class becomes the base of the generated class `name`."""

def no_attribute(item: Any, name: Any) -> Any:
    """The `__getattr__` of a class that has texts: AttributeError, with where a text is."""
