"""Written by python/stubs/make_stubs.py."""

from typing import Any

def submodules(package: Any, names: Any) -> Any:
    """A package's `__getattr__`: it imports the modules `names`."""
