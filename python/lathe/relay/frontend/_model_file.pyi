"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheTypeError as LatheTypeError

def is_bytes(model: Any) -> Any:
    """Is it the bytes of a file?"""

def is_path(model: Any) -> Any:
    """Is it a path of a file?"""

def shapes_of(shape: Any) -> Any:
    """{name: extents} with ints and names of sizes only."""
