"""Written by python/stubs/make_stubs.py."""

from typing import Any

class LatheError(RuntimeError):
    """Base of all errors of lathe.

    `str(error)` is for terminals: control characters in it are escaped. The attributes hold the
    unescaped text.

    Attributes:
        name: the error's stable name, such as "schedule-not-a-leaf".
        message: one sentence.
        notes: further lines: `expected: ...`, `found: ...`, `help: ...`.
        code: a canonical status code (3: invalid argument, 5: not found, ...).
        origin: the reporter: "" for lathe itself, or such as "plugin acme 1.2".
        where: (file, line) of the user's code that led here, or None.

    Example:
        >>> import lathe
        >>> try:
        ...     lathe.Target("no-such-target")
        ... except lathe.LatheError as error:
        ...     print(error.name)
        target-unknown-kind
    """
    def __str__(self) -> str: ...
    def __init__(self, message: Any = ..., name: Any = ..., notes: Any = ..., code: Any = ..., origin: Any = ..., where: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class DiagnosticError(LatheError):
    """For passes and tools of programs: what they checked is wrong. The message says how.

    Example:
        >>> import lathe
        >>> issubclass(lathe.error.DiagnosticError, lathe.LatheError)
        True
    """
    ...

class InternalError(LatheError):
    """A bug of lathe itself.

    Example:
        >>> import lathe
        >>> issubclass(lathe.error.InternalError, lathe.LatheError)
        True
    """
    ...

class OpError(LatheError):
    """Base of the errors about operators of a model that is imported.

    Example:
        >>> import lathe
        >>> issubclass(lathe.error.OpNotImplemented, lathe.error.OpError)
        True
    """
    ...

class LatheOSError(LatheError, OSError):
    """A file, device, plugin or other machine failed.

    Example:
        >>> import lathe
        >>> try:
        ...     lathe.load_module("/no/such/file.so")
        ... except OSError as error:
        ...     print(type(error).__name__, error.name)
        LatheOSError module-file-unreadable
    """
    def __str__(self) -> str: ...
    ...

class LatheTypeError(LatheError, TypeError):
    """An argument of the wrong type: a wrong kind of object, or a wrong element type.

    Example:
        >>> from lathe import te
        >>> try:
        ...     te.compute((8,), 5)
        ... except TypeError as error:
        ...     print(type(error).__name__, error.name)
        LatheTypeError compute-body-type
    """
    ...

class LatheValueError(LatheError, ValueError):
    """An argument with an unsuitable value.

    Example:
        >>> from lathe import te
        >>> try:
        ...     te.create_schedule([])
        ... except ValueError as error:
        ...     print(type(error).__name__, error.name)
        LatheValueError schedule-outputs
    """
    ...

class LatheIndexError(LatheError, IndexError):
    """An index or number out of range.

    Example:
        >>> import lathe
        >>> try:
        ...     lathe.nd.empty((2,))[5]
        ... except IndexError as error:
        ...     print(type(error).__name__, error.name)
        LatheIndexError tensor-index-out-of-range
    """
    ...

class OpAttributeInvalid(OpError, ValueError):
    """For importers of programs: an attribute has a wrong value.

    Example:
        >>> import lathe
        >>> issubclass(lathe.error.OpAttributeInvalid, ValueError)
        True
    """
    ...

class OpAttributeRequired(OpError, AttributeError):
    """For importers of programs: an attribute is missing.

    Example:
        >>> import lathe
        >>> issubclass(lathe.error.OpAttributeRequired, AttributeError)
        True
    """
    ...

class OpAttributeUnImplemented(OpError, NotImplementedError):
    """For importers of programs: an attribute's value is not converted. Lathe's own raise OpNotImplemented.

    Example:
        >>> import lathe
        >>> str(lathe.error.OpAttributeUnImplemented("no dilation", "mine-attribute"))
        'no dilation [mine-attribute]'
    """
    ...

class OpNotImplemented(OpError, NotImplementedError):
    """A model has operators that no importer converts, or that graphs do not have.

    Example:
        >>> import lathe
        >>> issubclass(lathe.error.OpNotImplemented, NotImplementedError)
        True
    """
    ...

class LatheLookupError(LatheError, AttributeError, KeyError, ValueError):
    """There is no function of a name, in a module or in the registry.

    Example:
        >>> import lathe
        >>> try:
        ...     lathe.get_global_func("no.such.function")
        ... except KeyError as error:
        ...     print(type(error).__name__, error.name)
        LatheLookupError registry-not-found
    """
    ...

def make_error(code: Any, name: Any, message: Any, notes: Any, origin: Any) -> Any:
    """Called by the core for each error that comes from C++."""

def nearest_type(name: Any) -> Any:
    """A note with the element types whose names are nearest to a name; "" if none is near.

    Example:
        >>> from lathe.error import nearest_type
        >>> nearest_type("int23")
        '\\nhelp: did you mean `int32` or `uint32`?'
    """

def notes_of_names(name: Any, known: Any) -> Any:
    """The notes of an error: `name` is not among the known names.

    Args:
        name: what was looked for, text or not.
        known: the names that there are.

    Returns:
        The lines `expected`, `found` and, if a known name is near, `help`.

    Example:
        >>> from lathe.error import notes_of_names
        >>> print(notes_of_names("mian", ["main", "other"]))
        expected: one of `main`, `other`
        found: `mian`
        help: did you mean `main`?
    """

def show_cpp_frames(show: Any = ...) -> Any:
    """Turns on or off that internal errors show the C++ function where they were found.

    Example:
        >>> import lathe
        >>> lathe.error.show_cpp_frames(False)
    """

def users_place() -> Any:
    """(file, line) of the innermost frame outside this package; None if there is none."""
