"""Written by python/stubs/make_stubs.py."""

from typing import Any

def submodules(package: Any, names: Any) -> Any:
    """A package's `__getattr__`: it imports what `names` lists.

    Args:
        package: the package's name.
        names: the names of modules in it; or {name: the module that has it, "" if it is a module itself}.
    """
