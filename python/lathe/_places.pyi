"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheError as LatheError

class about:
    """`with about(schedule):` errors within it show the lines that they are about.

    Takes a Schedule, or a module that `lower` made of one.
    """
    def __enter__(self) -> Any: ...
    def __exit__(self, kind: Any, error: Any, traceback: Any) -> Any: ...
    def __init__(self, item: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def add_to(error: Any, schedule: Any) -> Any:
    """Adds to an error's notes which lines made the operations and steps that it is about."""

def here(depth: Any = ...) -> Any:
    """(number of the file, line) of the innermost frame of the user's, from `depth` frames up on."""

def made_of(module: Any, schedule: Any) -> Any:
    """Remembers what a module was made of."""

def remembers(stamp: Any) -> Any:
    """A decorator for methods that add steps to a schedule: they remember who called them."""
