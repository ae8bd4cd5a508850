"""Written by python/stubs/make_stubs.py."""

from typing import Any

def install(package: Any) -> Any:
    """Adds the old names of methods, modules and keywords."""

def lookup(package: Any, name: Any) -> Any:
    """The object that an old name of the package stands for; AttributeError if there is none."""

def warn_about_old_names(warn: Any = ...) -> Any:
    """Turns the DeprecationWarning for uses of old names on or off.

    Example:
        >>> import lathe
        >>> lathe.compat.warn_about_old_names(False)
    """
