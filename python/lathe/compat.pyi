"""Written by python/stubs/make_stubs.py."""

from typing import Any

def install(package: Any) -> Any:
    """Adds the old names of methods, modules and keywords."""

def moved(old: Any) -> Any:
    """The path of the present name for an old one ("te.thread_axis" for "thread_axis"), or None."""

def warn_about_old_names(warn: Any = ...) -> Any:
    """Turns the DeprecationWarning for uses of old names on or off.

    Example:
        >>> import lathe
        >>> lathe.compat.warn_about_old_names(False)
    """
