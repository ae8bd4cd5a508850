"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheError as LatheError

def complete(op: Any, args: Any, attrs: Any) -> Any:
    """Sets the types of the arguments that are variables without a type, if `op` says them."""
