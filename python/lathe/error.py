"""Errors: the exceptions of lathe, and how an error of the C++ side becomes an exception.

Every error has a `name` that never changes ("split-not-a-leaf"; docs/errors.md lists them), a
`message`, and `notes`: what was expected and found, and what helps.
"""

import linecache
import os
import re
import sys

__all__ = ["LatheError", "LatheTypeError", "LatheValueError", "LatheIndexError", "LatheLookupError", "LatheOSError",
           "InternalError", "OpError", "OpNotImplemented", "OpAttributeUnImplemented", "OpAttributeInvalid",
           "OpAttributeRequired", "DiagnosticError", "show_cpp_frames"]

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


_SHOWN_NAMES = 20  # of a list of names: an error shows no more

# Characters that control a terminal: C0 and C1 controls except line ends and tabs. The command line
# escapes the same ones in the same form (tools/lathe/printable.h).
_CONTROLS = {code: f"\\x{code:02x}" for code in [*range(0x20), 0x7f] if chr(code) not in "\n\t"}
_CONTROLS.update({code: f"\\u{code:04x}" for code in range(0x80, 0xa0)})


def _printable(text):
    """`text` with control characters escaped: names of files and programs may contain them."""
    return text.translate(_CONTROLS)


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

    def __init__(self, message="", name="error", notes="", code=2, origin="", where=None):
        super().__init__(message)
        self.message = message
        self.name = name
        self.notes = notes
        self.code = code
        self.origin = origin
        self.where = where

    def __str__(self):
        lines = [f"{self.message} [{self.name}]"]
        if self.where:
            source = linecache.getline(*self.where).strip()
            lines.append(f"  at {self.where[0]}:{self.where[1]}")
            if source:
                lines.append(f"    {source}")
        lines += ["  " + line for line in self.notes.split("\n") if line]
        if self.origin:
            lines.append(f"  reported by {self.origin}")
        return _printable("\n".join(lines))

    def __reduce__(self):
        return (type(self), (self.message, self.name, self.notes, self.code, self.origin, self.where))


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


class OpError(LatheError):
    """Base of the errors about operators of a model that is imported.

    Example:
        >>> import lathe
        >>> issubclass(lathe.error.OpNotImplemented, lathe.error.OpError)
        True
    """


class OpNotImplemented(OpError, NotImplementedError):
    """A model has operators that no importer converts, or that graphs do not have.

    Example:
        >>> import lathe
        >>> issubclass(lathe.error.OpNotImplemented, NotImplementedError)
        True
    """


class OpAttributeUnImplemented(OpError, NotImplementedError):
    """For importers of programs: an attribute's value is not converted. Lathe's own raise OpNotImplemented.

    Example:
        >>> import lathe
        >>> str(lathe.error.OpAttributeUnImplemented("no dilation", "mine-attribute"))
        'no dilation [mine-attribute]'
    """


class OpAttributeInvalid(OpError, ValueError):
    """For importers of programs: an attribute has a wrong value.

    Example:
        >>> import lathe
        >>> issubclass(lathe.error.OpAttributeInvalid, ValueError)
        True
    """


class OpAttributeRequired(OpError, AttributeError):
    """For importers of programs: an attribute is missing.

    Example:
        >>> import lathe
        >>> issubclass(lathe.error.OpAttributeRequired, AttributeError)
        True
    """


class DiagnosticError(LatheError):
    """For passes and tools of programs: what they checked is wrong. The message says how.

    Example:
        >>> import lathe
        >>> issubclass(lathe.error.DiagnosticError, lathe.LatheError)
        True
    """


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

    def __str__(self):
        return LatheError.__str__(self)


class InternalError(LatheError):
    """A bug of lathe itself.

    Example:
        >>> import lathe
        >>> issubclass(lathe.error.InternalError, lathe.LatheError)
        True
    """


# Canonical codes (abi/value.h).
_INVALID_ARGUMENT, _OUT_OF_RANGE, _INTERNAL = 3, 11, 13
_OF_THE_WORLD = {5, 6, 7, 8, 14, 15}  # not found, exists, permission, resources, unavailable, lost
_TYPE_WORDS = ("type", "kind", "dtype", "operand")
_BY_NAME = {"module-no-function": LatheLookupError, "registry-not-found": LatheLookupError,
            "target-unknown-kind": LatheValueError, "target-malformed": LatheValueError,
            "target-unknown-attribute": LatheValueError, "device-unknown-kind": LatheValueError,
            **dict.fromkeys(("onnx-unsupported", "tensorflow-unsupported", "tflite-unsupported"), OpNotImplemented)}
_INDEX_WORDS = ("out-of-range", "out-of-bounds")


def _class_of(code, name):
    if code == _INTERNAL or name == "internal-error":
        return InternalError
    if name in _BY_NAME:
        return _BY_NAME[name]
    if code in _OF_THE_WORLD:
        return LatheOSError
    if code == _OUT_OF_RANGE or any(word in name for word in _INDEX_WORDS):
        return LatheIndexError
    if any(word in name.split("-") for word in _TYPE_WORDS):
        return LatheTypeError
    if code == _INVALID_ARGUMENT:
        return LatheValueError
    return LatheError


def users_place():
    """(file, line) of the innermost frame outside this package; None if there is none."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith(_PACKAGE) and not name.startswith("<frozen"):
            return (name, frame.f_lineno)
        frame = frame.f_back
    return None


_cpp_frames = False


def show_cpp_frames(show=True):
    """Turns on or off that internal errors show the C++ function where they were found.

    Example:
        >>> import lathe
        >>> lathe.error.show_cpp_frames(False)
    """
    global _cpp_frames
    _cpp_frames = bool(show)


_TYPES = ("bool", "handle", "bfloat16", "float8_e4m3fn", "float8_e5m2",
          *(f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)), "float16", "float32", "float64")
_NO_TYPE = re.compile(r'expected: (?:dtype|the name of an element type)\n(?:.*\n)*?\s*found: (?:string )?"([^"]*)"')


def nearest_type(name):
    """A note with the element types whose names are nearest to a name; "" if none is near.

    Example:
        >>> from lathe.error import nearest_type
        >>> nearest_type("int23")
        '\\nhelp: did you mean `int32` or `uint32`?'
    """
    import difflib

    near = difflib.get_close_matches(name, _TYPES, 2)
    return "\nhelp: did you mean " + " or ".join(f"`{one}`" for one in near) + "?" if near else ""


def notes_of_names(name, known):
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
    import difflib

    known = list(known)
    near = difflib.get_close_matches(str(name), known, 3)
    shown = near or known[:_SHOWN_NAMES]
    if len(known) <= _SHOWN_NAMES:
        shown = known
    listed = ", ".join(f"`{one}`" for one in shown) + (", ..." if len(shown) < len(known) else "")
    return ((f"expected: one of {listed}" if known else "expected: no name, since there is none") + f"\nfound: `{name}`"
            + ("\nhelp: did you mean " + " or ".join(f"`{one}`" for one in near) + "?" if near else ""))


_LIST = re.compile(r"(?<=found: )list<handle>(\(.*\))")
_FLOAT_IN_LIST = re.compile(r"expected: .*(?:extents|integers)(?:.*\n)+?\s*found: \(.*\d\.\d")


def _plain_list(found):
    """A list of numbers as C++ shows it, without the types of its elements."""
    return re.sub(r"(?<=\d)[if](?:32|64)\b", "", found.group(1))


_INNER_ARGUMENT = re.compile(r"argument \d+ of `[a-z_]+\.[\w.]+`")
_HELPERS = ("placed", "forward", "<lambda>", "<listcomp>", "<genexpr>")


def _users_call():
    """The frame of this package's function that the user's code called; None if it called C++ itself."""
    frame, called = sys._getframe(3), None
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        if frame.f_code.co_name not in _HELPERS:
            called = frame
        frame = frame.f_back
    return called


def _described(value):
    """A value as errors from C++ describe it; None for those that it cannot be told from."""
    if type(value) is int:
        return f"int {value}"
    return f'string "{value}"' if isinstance(value, str) else None


def _in_the_users_words(message, notes):
    """An error about an argument of an inner function names the function that the user called."""
    inner, frame = _INNER_ARGUMENT.match(message), _users_call()
    if inner is None or frame is None:
        return message
    code = frame.f_code
    names = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
    function = getattr(code, "co_qualname", code.co_name).rpartition("<locals>.")[2]
    if code.co_name in ("__new__", "__init__"):
        made = frame.f_locals.get(code.co_varnames[0])
        function = (made if isinstance(made, type) else type(made)).__name__
    function = function.lstrip("_")
    found = re.search(r"found: (.*)", notes)
    given = [one for one in names if found and _described(frame.f_locals.get(one)) == found.group(1)]
    argument = f"argument `{given[0]}`" if len(given) == 1 else "an argument"
    return f"{argument} of `{function}`{message[inner.end():]}"


def _instead_of_tvms(message):
    """A note for a missing function that has TVM's name; "" for others."""
    found = re.search(r"`tvm\.contrib\.(\w+)", message)
    if found is None:
        return ""
    if found[1] == "sort":
        return "\nhelp: topi.sort, topi.argsort and topi.topk sort in compiled code"
    if found[1] in ("cblas", "mkl", "dnnl", "cublas", "random"):
        return f"\nhelp: lathe.contrib.{found[1]} says which functions there are, and which library they need"
    return "\nhelp: lathe has no such function; lathe.register_func registers one of your own"


def make_error(code, name, message, notes, origin):
    """Called by the core for each error that comes from C++."""
    if name == "internal-error" and not _cpp_frames:
        # The first line is the message. The rest, where it was found, becomes a note if notes are
        # empty.
        message, _, rest = message.partition("\n")
        notes = notes if notes else rest
    if name == "registry-not-found":
        notes += _instead_of_tvms(message)
    if name == "artifact-unresolved-symbol":
        notes += ("\nhelp: in Python, ctypes.CDLL(path, ctypes.RTLD_GLOBAL) loads a library, and "
                  "contrib.clang.create_llvm makes the text for import_llvm of C")
    if name in ("call-wrong-argument-kind", "call-argument-out-of-range"):
        message = _in_the_users_words(message, notes)
    if name in ("call-wrong-argument-kind", "graph-attribute"):
        notes = _LIST.sub(_plain_list, notes)
        if _FLOAT_IN_LIST.search(notes):
            notes += "\nhelp: `//` divides whole numbers, `/` gives a float"
        no_type = _NO_TYPE.search(notes)
        notes += nearest_type(no_type.group(1)) if no_type else ""
    return _class_of(code, name)(message, name, notes, code, origin, users_place())
