"""Written by python/stubs/make_stubs.py."""

from typing import Any

def install(package: Any) -> Any:
    """Puts the old names of methods, modules and keywords in place."""

def lookup(package: Any, name: Any) -> Any:
    """What an old name of the package stands for; AttributeError where it is none."""

def warn_about_old_names(warn: Any = ...) -> Any:
    """From now on uses of old names (do not) give a DeprecationWarning.

    Example:
        >>> import lathe
        >>> lathe.compat.warn_about_old_names(False)
    """
