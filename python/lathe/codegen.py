"""Your own code generators, in Python: they provide targets for `lathe.build`, as plugins do.

A class states what it can do, turns a module into bytes, and turns the bytes into functions:

    >>> import lathe, numpy as np
    >>> from lathe import te, tir
    >>> class Counts(lathe.codegen.CodeGenerator):
    ...     kind = "counts"
    ...     stage = "tile"
    ...     def compile(self, module, target, output, constants, options):
    ...         stores = []
    ...         tir.post_order_visit(module.functions[0].body,
    ...                              lambda n: stores.append(n) if isinstance(n, tir.Store) else None)
    ...         return str(len(stores))
    ...     def load(self, data):
    ...         return {"main": lambda *args: int(data)}
    >>> _ = lathe.codegen.register(Counts)
    >>> A = te.placeholder((4,), name="A")
    >>> B = te.compute((4,), lambda i: A[i] + 1.0, name="B")
    >>> lathe.build(te.create_schedule(B.op), [A, B], "counts")(np.zeros(4, "float32"), np.zeros(4, "float32"))
    1

`examples/python/lesson_11_backend.py` writes a generator whose code computes.
"""

import json
import re

from . import _core, _ffi
from .error import LatheTypeError, LatheValueError
from .target import Target

_get = _ffi.get
_OUTPUTS = ("module", "object", "assembly", "ir", "source")


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

    def __init__(self, output, holds=(), log=""):
        self.output, self.holds, self.log = output, list(holds), str(log)


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

    kind = ""
    doc = "A code generator written in Python"
    version = "0.1.0"
    device = "cpu"
    keys = ()
    stage = "tile"
    outputs = ("module", "source")
    attributes = ()
    machine = {}

    def compile(self, module, target, output, constants, options):
        """Compiles a module.

        Args:
            module: an ir.Module at `stage`. Its attributes contain its metadata.
            target: the Target, attributes included.
            output: the kind of output, one of `outputs`.
            constants: Tensors; constant i of the module is constants[i].
            options: {option: text} of this compilation.

        Returns:
            bytes, str, or a Compiled. For the output "module": the data that `load` takes.
        """
        raise NotImplementedError(f"{type(self).__name__}.compile")

    def load(self, data):
        """Makes the functions of a compiled module from its bytes: {name: callable}.

        They are called with the caller's arguments: Tensors (valid during the call) and numbers.
        Exceptions that they raise reach the caller unchanged.
        """
        raise NotImplementedError(f"{type(self).__name__}.load")

    def source(self, data):
        """The text that `module.get_source()` shows; by default `data` itself, if it is text."""
        try:
            return data.decode()
        except UnicodeDecodeError:
            return ""


def _checked(result):
    if not isinstance(result, Compiled):
        result = Compiled(result)
    if isinstance(result.output, str):
        result.output = result.output.encode()
    if not isinstance(result.output, bytes):
        raise LatheTypeError("a code generator returned neither bytes nor a text", "codegen-result-type",
                             f"found: {type(result.output).__name__}")
    return [result.output, result.holds, result.log]


def _options(text):
    return dict(line.partition("=")[::2] for line in text.split("\n") if "=" in line)


def register(generator):
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
    made = generator() if isinstance(generator, type) else generator
    if not isinstance(made, CodeGenerator):
        raise LatheTypeError("a code generator must derive from lathe.codegen.CodeGenerator", "codegen-type",
                             f"found: {type(made).__name__}")
    if not isinstance(made.kind, str) or not re.fullmatch(r"[a-z][a-z0-9_-]*", made.kind):
        raise LatheValueError("the kind of a target must be a name of lower-case letters, digits, `_` and `-`",
                              "codegen-kind", f"found: {made.kind!r}")
    version = _get("codegen.ir_version")()
    target = {"kind": made.kind, "doc": made.doc, "device": made.device, "stage": made.stage,
              "ir": [version, version], "outputs": list(made.outputs)}
    if made.keys:
        target["keys"] = list(made.keys)
    if made.attributes:
        target["attributes"] = list(made.attributes)
    if made.machine:
        target["machine"] = dict(made.machine)
    manifest = {"lathe": 1, "name": made.kind, "version": made.version, "doc": made.doc, "abi": [1, 1],
                "modules": [{"kind": made.kind, "doc": made.doc}], "targets": [target]}

    def compile_(module, target, output, constants, options):
        return _checked(made.compile(module, Target(target), output, list(constants), _options(options)))

    def load(data):
        functions = made.load(data)
        if not isinstance(functions, dict):
            raise LatheTypeError("`load` must return a dict of functions", "codegen-load-type",
                                 f"found: {type(functions).__name__}")
        return [[[str(name), _core.Function(function)] for name, function in functions.items()],
                made.source(data)]

    _get("codegen.declare")(made.kind, json.dumps(manifest), _core.Function(compile_), _core.Function(load))
    return generator

from . import _old_modules  # noqa: E402

_old_modules.attend(__name__)
