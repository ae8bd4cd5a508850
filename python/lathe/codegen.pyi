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
        version: the generator's version.
        device: the kind of device its code runs on.
        keys: the keys that schedules dispatch on; by default only the kind.
        stage: the form of the modules it takes: "tile" (buffers of many dimensions) or "flat".
        outputs: the outputs it can make: "module", and any of "object", "assembly", "ir", "source".
        attributes: the target's attributes: [{"key": ..., "type": "string"|"int"|"bool"|"list",
            "default": ..., "doc": ...}].
        machine: a description of the machine as a dict (docs/guides/adding_a_backend.md).

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
    """The result of `CodeGenerator.compile` when more than bytes or text must be returned.

    Args:
        output: bytes or str.
        holds: numbers of the constants that are part of the output.
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
    """Registers a code generator's target in this process. Also a decorator for its class.

    A second registration of a kind replaces the first.

    Args:
        generator: a CodeGenerator, or a subclass of it.

    Returns:
        Its argument.

    Raises:
        LatheError: `plugin-duplicate-kind` if a plugin provides the kind, `manifest-malformed`.

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
