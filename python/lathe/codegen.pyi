"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError
from lathe.target import Target as Target

class CodeGenerator:
    """Base of code generators. Override `compile` and `load`; the rest has defaults.

    Attributes:
        kind: the target's name: lower-case letters, digits, "_" and "-".
        doc: one sentence, for lists of targets.
        version: of the generator.
        device: the kind of device its code runs on.
        keys: what schedules dispatch on; the kind itself by default.
        stage: the form in which it takes modules: "tile" (buffers of many dimensions) or "flat".
        outputs: what it makes: "module", and any of "object", "assembly", "ir", "source".
        attributes: of the target: [{"key": ..., "type": "string"|"int"|"bool"|"list", "default": ...,
            "doc": ...}].
        machine: the machine as data (docs/guides/adding_a_backend.md).

    Example:
        >>> import lathe.codegen
        >>> class Texts(lathe.codegen.CodeGenerator):
        ...     kind = "texts"
        ...     stage = "tile"
        ...     def compile(self, module, target, output, constants, options):
        ...         return str(module)
        ...     def load(self, data):
        ...         return {"main": lambda *args: len(data)}
        >>> Texts().source(b"text")
        'text'
    """
    def compile(self, module: Any, target: Any, output: Any, constants: Any, options: Any) -> Any: ...
    def load(self, data: Any) -> Any: ...
    def source(self, data: Any) -> Any: ...
    ...

class Compiled:
    """What `CodeGenerator.compile` returns where bytes or a text alone do not say enough.

    Args:
        output: bytes or str.
        holds: numbers of the constants that the code holds itself.
        log: warnings for the user.

    Example:
        >>> import lathe.codegen
        >>> lathe.codegen.Compiled("text", log="a warning").log
        'a warning'
    """
    def __init__(self, output: Any, holds: Any = ..., log: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def register(generator: Any) -> Any:
    """Makes a code generator's target known to this process; also a decorator of its class.

    Registering a kind again replaces it.

    Args:
        generator: a CodeGenerator, or a class of such.

    Returns:
        What it was given.

    Raises:
        LatheError: `plugin-duplicate-kind` where a plugin provides the kind, `manifest-malformed`.

    Example:
        >>> import lathe.codegen
        >>> @lathe.codegen.register
        ... class Nothing(lathe.codegen.CodeGenerator):
        ...     kind = "nothing"
        ...     stage = "tile"
        ...     def compile(self, module, target, output, constants, options):
        ...         return ""
        ...     def load(self, data):
        ...         return {}
        >>> "nothing" in lathe.target.list_kinds()
        True
    """
