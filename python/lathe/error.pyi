"""Written by python/stubs/make_stubs.py."""

from typing import Any

class LatheError(RuntimeError):
    """Base of all errors of lathe.

    Attributes:
        name: the error's stable name, such as "schedule-not-a-leaf".
        message: one sentence.
        notes: further lines: `expected: ...`, `found: ...`, `help: ...`.
        code: a canonical status code (3: invalid argument, 5: not found, ...).
        origin: who reported it: "" or such as "plugin acme 1.2".
        where: (file, line) of the user's own program that led here, or None.
    """
    def __str__(self) -> str: ...
    def __init__(self, message: Any = ..., name: Any = ..., notes: Any = ..., code: Any = ..., origin: Any = ..., where: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class InternalError(LatheError):
    """A bug of lathe itself."""
    ...

class LatheOSError(LatheError, OSError):
    """A file, device, plugin or other machine did not do what was asked."""
    def __str__(self) -> str: ...
    ...

class LatheTypeError(LatheError, TypeError):
    """An argument of the wrong type: a kind of object, or an element type."""
    ...

class LatheValueError(LatheError, ValueError):
    """An argument whose value does not serve."""
    ...

class LatheIndexError(LatheError, IndexError):
    """An index or number outside what there is."""
    ...

def make_error(code: Any, name: Any, message: Any, notes: Any, origin: Any) -> Any:
    """Called by the core for each error that comes from C++."""

def show_cpp_frames(show: Any = ...) -> Any:
    """From now on (not) show in which C++ function an internal error was found.

    Example:
        >>> import lathe
        >>> lathe.error.show_cpp_frames(False)
    """

def users_place() -> Any:
    """(file, line) of the innermost frame outside this package; None where there is none."""
