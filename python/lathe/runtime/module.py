"""Modules: compiled code, and the modules it imports."""

from .. import _core, _ffi, _nodes
from ..error import LatheError
from .packed_func import Described

_get = _ffi.get
_get_function = _get("module.get_function", True)
_entry = _get("module.entry", True)


class BenchmarkResult:
    """Times of a function, in seconds per call.

    Attributes:
        results: one time for each repeat.
        number: the calls per repeat.
        mean, median, min, max, std: statistics of `results`.

    Example:
        >>> import lathe
        >>> lathe.runtime.BenchmarkResult([1e-6, 3e-6], number=10).mean
        2e-06
    """

    def __init__(self, results, number):
        self.results = tuple(results)
        self.number = number
        n = len(self.results)
        ordered = sorted(self.results)
        self.mean = sum(ordered) / n
        self.median = (ordered[n // 2] + ordered[(n - 1) // 2]) / 2
        self.min, self.max = ordered[0], ordered[-1]
        self.std = (sum((x - self.mean) ** 2 for x in ordered) / n) ** 0.5

    def __str__(self):
        return (f"mean {_time(self.mean)}, median {_time(self.median)}, min {_time(self.min)}, "
                f"max {_time(self.max)}, std {_time(self.std)} ({len(self.results)} x "
                f"{self.number} calls)")

    __repr__ = __str__


def _time(seconds):
    for unit, scale in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if seconds * scale >= 1:
            return f"{seconds * scale:.3f} {unit}"
    return f"{seconds * 1e9:.1f} ns"


_written = _get("module.written")

# TVM's names of the entry function.
_ENTRY_NAMES = ("default_function", "__tvm_main__")


def _running(module, name, function):
    """Sets a compiled function's flags: no GIL, borrows its tensors, which arguments it writes."""
    function.release_gil = True
    if module.kind == "graph_context":  # it may keep its arguments
        return function
    function.borrows = True
    function.written = _written(module, name)
    parameters = module._signatures().get(name)
    function.described = Described(name, parameters)
    return function


def _typed(argument):
    """The type of a function's argument, of its description in the metadata."""
    shape, element = argument.get("shape"), argument.get("dtype", argument.get("kind", ""))
    return element if shape is None else f"{element}[{', '.join(map(str, shape))}]"


# What the code generators of processors write for a form, by the target's kind.
_OUTPUTS = {"llvm": {"": "ir", "ll": "ir", "asm": "assembly", "s": "assembly"},
            "c": {"": "source", "c": "source"}}


class _EntrySignature:
    """The parameters of a module's entry function, for `inspect.signature`. The class has none."""

    def __get__(self, module, owner):
        if module is None:
            raise AttributeError(f"the class '{owner.__name__}' has no entry function", name="__signature__", obj=owner)
        return Described(module.entry_name, module._signatures().get(module.entry_name)).signature()


class Module(_core.Module):
    """Compiled code with named functions; `module(...)` calls its entry function.

    Example:
        >>> import lathe
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> s = te.create_schedule(B.op)
        >>> f = lathe.build(s, [A, B], "llvm")
        >>> f.entry_name, f.function_names
        ('main', ['main'])
    """

    # _recipe: of a module that `build` or `relay.build` made: the kind of its target, and a function
    # that compiles once more and returns a kind of output as text.
    # _imported: the modules that `import_module` added, which have such recipes.
    # _known: what `_signatures` returns. _found: the functions that `get_function` has returned.
    __slots__ = ("_recipe", "_imported", "_known", "_found")

    __getattr__ = _nodes.no_attribute

    def __getitem__(self, name):
        """The function `name`; searches imported modules too."""
        return self.get_function(name, True)

    def get_function(self, name, query_imports=False):
        """The function `name`; for "default_function" and "__tvm_main__" the entry function, if none has the name.

        Raises:
            LatheError: `module-no-function`, with the nearest names.
        """
        key = name, bool(query_imports)
        try:
            return self._found[key]
        except AttributeError:
            self._found = {}
        except KeyError:
            pass
        if name in _ENTRY_NAMES and not self.implements_function(name, query_imports):
            try:
                return self.entry_func
            except LatheError:  # it has none; the error below names the functions that there are
                pass
        function = _get_function(self, name, bool(query_imports))
        if function is None:
            _get_function(self, name, True)  # raises an error that lists the functions there are
            raise AttributeError(f"only an imported module has the function {name}")
        self._found[key] = _running(self, name, function)
        return self._found[key]

    def implements_function(self, func_name, query_imports=False):
        """Does the module have a function of that name?

        Args:
            func_name: the name.
            query_imports: search imported modules too.
        """
        if _get_function(self, func_name, False) is not None:
            return True
        return bool(query_imports) and any(m.implements_function(func_name, True)
                                           for m in self.imported_modules)

    @property
    def entry_func(self):
        """The function that `module(...)` calls."""
        if self._entry is None:
            self._entry = _running(self, self.entry_name, _entry(self))
        return self._entry

    @property
    def entry_name(self):
        """The name of the entry function."""
        return _get("module.entry_name")(self)

    @property
    def function_names(self):
        """The names of its functions."""
        return list(_get("module.function_names")(self))

    @property
    def kind(self):
        """The kind of its loader: "elf", "so", ..."""
        return _get("module.kind")(self)

    @property
    def type_key(self):
        """The same as `kind`."""
        return self.kind

    @property
    def metadata(self):
        """The module's metadata: a dict."""
        import json

        return json.loads(_get("module.metadata")(self))

    @property
    def imported_modules(self):
        """The modules it imports, such as those with kernels."""
        known = getattr(self, "_imported", [])
        return [next((one for one in known if one == module), module)
                for module in _get("module.imports")(self)]

    def import_module(self, module):
        """Adds `module` to the imported modules: functions are searched there too."""
        _get("module.import")(self, module)
        self._imported = [*getattr(self, "_imported", []), module]

    def get_source(self, fmt=""):
        """Its code in a readable form.

        The code of the host of a module that `lathe.build`, `relay.build` or `relay.vm.compile` made is
        compiled once more for it; of a graph, the text has all kernels of the host. Built for a device, it
        is what launches the kernels, which `imported_modules` have. A module that was loaded from a file has
        only machine code.

        Args:
            fmt: "ll" (LLVM's assembly) or "asm" of a processor's code; "c" where the target is `c`; "cuda",
                "ptx", "cl" ... of kernels, which `imported_modules` have; "" for the usual one.

        Raises:
            LatheError: `module-no-source`, which says what there is.

        Example:
            >>> import lathe
            >>> from lathe import te
            >>> A = te.placeholder((8,), name="A")
            >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
            >>> f = lathe.build(te.create_schedule(B.op), [A, B], "llvm")
            >>> "define" in f.get_source("ll"), "main" in f.get_source("asm")
            (True, True)
        """
        try:
            return _get("module.source")(self, fmt)
        except LatheError as error:
            kind, compiled = getattr(self, "_recipe", None) or ("", None)
            if error.name == "module-no-source" and fmt in ("c", "cc") and kind != "c":
                error.notes += ("\nhelp: lathe.build(..., \"c\") writes C; get_source(\"ll\") and "
                                "get_source(\"asm\") show the code that target `llvm` makes")
            output = _OUTPUTS.get(kind, _OUTPUTS["llvm"]).get(fmt)
            if error.name != "module-no-source" or output is None:
                raise
            if compiled is not None and kind not in (*_OUTPUTS, "cuda", "opencl"):
                raise  # of a code generator that writes something else
            text = compiled(output) if kind in _OUTPUTS else ""
            if not text:
                error.notes += "\nhelp: " + (
                    "it only calls kernels, which the module that imports it shows"
                    if self.kind in ("plan", "vm_program") else
                    "get_source() of one of imported_modules shows the kernels" if compiled is not None else
                    "modules that lathe.build and relay.build make have it; lathe.driver.compile_to gives the text "
                    "alone")
                raise
        return text

    def save(self, file_name, fmt=""):
        """Writes the module: as .o, .so or .tar, as source (.ll, .c, ...), or else as a module file."""
        suffix = "." + (fmt or file_name.rpartition(".")[2])
        if suffix in (".o", ".so", ".tar"):
            return self.export_library(file_name if file_name.endswith(suffix)
                                       else file_name + suffix)
        if suffix in (".ll", ".s", ".asm", ".c", ".cl", ".cu", ".ptx"):
            with open(file_name, "w") as f:
                f.write(self.get_source({".s": "asm"}.get(suffix, suffix[1:])))
            return None
        with open(file_name, "wb") as f:
            f.write(_get("module.serialize")(self))
        return None

    def export_library(self, file_name, fcompile=None, symbol="", **kwargs):
        """Writes a file that `load_module` can load on any machine of the target.

        Args:
            file_name: ends in .so (linked), .tar (an archive of objects) or .o.
            fcompile: replaces lathe's own writer: the path of a compiler that links .so, or a
                function (path, [object file], options=...) such as `contrib.cc.create_shared` and
                `contrib.tar.tar`.
            symbol: with .o, the name of its only symbol, so that one program can link several
                modules; "lathe_artifact_v1" by default.
            options: passed on to such a function.
        """
        if callable(fcompile):
            import os
            import tempfile

            with tempfile.TemporaryDirectory(prefix="lathe-export-") as folder:
                made = os.path.join(folder, "lib.o")
                _get("driver.export", True)(self, made, "", symbol)
                fcompile(str(file_name), [made], **kwargs)
            return
        compiler = fcompile if isinstance(fcompile, str) else kwargs.get("cc") or ""
        _get("driver.export", True)(self, str(file_name), compiler, symbol)

    def time_evaluator(self, func_name, dev, number=10, repeat=1, min_repeat_ms=0,
                       cooldown_interval_ms=0, repeats_to_cooldown=1, f_preproc=None,
                       flush_cache_bytes=0):
        """A function that measures: it takes arguments and returns a BenchmarkResult.

        Args:
            func_name: the function's name; None for the entry function.
            dev: the device it runs on.
            number: calls per measurement.
            repeat: the number of measurements.
            min_repeat_ms: `number` grows until a measurement takes at least this long.
            cooldown_interval_ms, repeats_to_cooldown: a pause of this length after so many
                measurements.
            f_preproc: called with the arguments before each measurement. A function, or the name of
                one that is registered where `dev` is (for a session: exported there). The name
                "cache_flush_cpu_non_first_arg" flushes all tensors but the first argument from the
                caches.
            flush_cache_bytes: bytes of host memory that are touched before each measurement.

        Example:
            >>> import lathe
            >>> from lathe import te
            >>> A = te.placeholder((64,), name="A")
            >>> B = te.compute((64,), lambda i: A[i] + 1.0, name="B")
            >>> f = lathe.build(te.create_schedule(B.op), [A, B], "llvm")
            >>> a, b = lathe.nd.empty((64,)), lathe.nd.empty((64,))
            >>> f.time_evaluator(f.entry_name, lathe.cpu(), number=3)(a, b).number
            3
        """
        function = self.entry_func if func_name is None else self[func_name]
        options = [float(x) for x in (number, repeat, min_repeat_ms, cooldown_interval_ms,
                                      repeats_to_cooldown, flush_cache_bytes)]

        def evaluator(*args):
            times = _get("runtime.time", True)(function, list(args), dev, options, f_preproc or None,
                                               function.written, _core.check_signals)
            return BenchmarkResult(times[:-1], int(times[-1]))

        return evaluator

    def _signatures(self):
        """{function: its parameters as text}, of those that the metadata describes."""
        if not hasattr(self, "_known"):
            import json

            text = _get("module.metadata")(self)
            described = json.loads(text).get("functions", []) if text else []
            self._known = {one["name"]: [(part.get("name", ""), _typed(part)) for part in one.get("arguments", [])]
                           for one in described}
        return self._known

    __signature__ = _EntrySignature()

    def _described(self):
        """The functions as text, each with its parameters."""
        known = self._signatures()
        return [str(Described(name, known.get(name))) for name in self.function_names]

    def _repr_html_(self):
        from .. import _html

        lines = [*self._described(), *map(repr, self.imported_modules)]
        return _html.page_of("\n".join([f"lathe.Module {self.kind}", *(f"  {one}" for one in lines)]))

    def __repr__(self):
        return f"<lathe.Module {self.kind}: {', '.join(self._described())}>"


_core.register_class(6, Module)


def load_module(path, fmt="", check_constants=False):
    """Loads a module from a file: .so, .o, .tar, or a module file.

    Files that Lathe wrote contain digests. Those of code and metadata are checked before anything
    runs. `check_constants` also checks the digests of the constants (weights). It reads all
    constants at once; otherwise they are read only when they are used. It works for .so, .o and
    .tar.

    Raises:
        LatheError: `module-file-unreadable`, `module-loader-missing`, `artifact-damaged`, ...

    Example:
        >>> import lathe
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> s = te.create_schedule(B.op)
        >>> import os, tempfile
        >>> f = lathe.build(s, [A, B], "llvm")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     f.export_library(os.path.join(folder, "add.so"))
        ...     lathe.load_module(os.path.join(folder, "add.so")).entry_name
        'main'
    """
    if check_constants:
        _get("module.check_file", True)(str(path))
    return _get("module.load", True)(str(path))
