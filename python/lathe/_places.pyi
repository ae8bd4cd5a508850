"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheError as LatheError

class about:
    """`with about(schedule):` errors raised within it show the lines that they are about.

    Takes a Schedule, or a module that `lower` made from one.
    """
    def __enter__(self) -> Any: ...
    def __exit__(self, kind: Any, error: Any, traceback: Any) -> Any: ...
    def __init__(self, item: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def add_to(error: Any, schedule: Any) -> Any:
    """Adds to an error's notes the lines that made the operations and steps the error is about."""

def here(depth: Any = ...) -> Any:
    """(file number, line) of the innermost frame of the user's code, from `depth` frames up."""

def made_of(module: Any, schedule: Any) -> Any:
    """Remembers which schedule a module was made from, and returns the module."""

def remembers(stamp: Any) -> Any:
    """A decorator for methods that add steps to a schedule: records the caller's line."""
