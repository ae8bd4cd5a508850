"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe import compat as compat

class OtherName(Loader):
    """Loads a module of ours under another name: one module object for both."""
    def create_module(self, spec: Any) -> Any: ...
    def exec_module(self, module: Any) -> Any: ...
    def __init__(self, module: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class Old(_Module):
    """A module that only TVM has. Its names are those of modules of ours: see MODULES."""
    def __dir__(self) -> Any: ...
    def __getattr__(self, name: Any) -> Any: ...
    ...

class Ours(_Module):
    """A module of the package, which also answers to old names."""
    def __dir__(self) -> Any: ...
    def __getattr__(self, name: Any) -> Any: ...
    def __setattr__(self, name: Any, value: Any) -> Any: ...
    ...

MODULES: Any

SAME_MODULE: Any

def attend(name: Any) -> Any:
    """The module of this name, and those in it that are loaded, also answer to old names from now on."""

def reason(path: Any) -> Any:
    """The sentence of docs/migrating for a name of TVM's that lathe does not have; "" if there is none.

    Example:
        >>> from lathe import _old_modules
        >>> _old_modules.reason("tir.schedule.block_scope.BlockScope")
        'not part of lathe, which schedules te programs'
        >>> _old_modules.reason("te.compute")
        ''
    """
