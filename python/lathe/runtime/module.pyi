"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe._core import Module as _CoreModule
from lathe.runtime.packed_func import Described as Described
from lathe.error import LatheError as LatheError

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
    def __repr__(self) -> str: ...
    def __str__(self) -> str: ...
    def __init__(self, results: Any, number: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class Module(_CoreModule):
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
    def __getitem__(self, name: Any) -> Any: ...
    def __repr__(self) -> str: ...
    @property
    def entry_func(self) -> Any:
        """The function that `module(...)` calls."""

    @property
    def entry_name(self) -> str:
        """The name of the entry function."""

    def export_library(self, file_name: Any, fcompile: Any = ..., symbol: Any = ..., **kwargs: Any) -> None: ...
    @property
    def function_names(self) -> list[str]:
        """The names of its functions."""

    def get_function(self, name: Any, query_imports: Any = ...) -> Any: ...
    def get_source(self, fmt: str = ...) -> str: ...
    def implements_function(self, func_name: Any, query_imports: Any = ...) -> Any: ...
    def import_module(self, module: Module) -> None: ...
    @property
    def imported_modules(self) -> list[Module]:
        """The modules it imports, such as those with kernels."""

    @property
    def kind(self) -> str:
        """The kind of its loader: "elf", "so", ..."""

    @property
    def metadata(self) -> dict[str, Any]:
        """The module's metadata: a dict."""

    def save(self, file_name: Any, fmt: Any = ...) -> Any: ...
    def time_evaluator(self, func_name: str | None, dev: Any, number: int = ..., repeat: int = ..., min_repeat_ms: Any = ..., cooldown_interval_ms: Any = ..., repeats_to_cooldown: Any = ..., f_preproc: Any = ..., flush_cache_bytes: Any = ...) -> Any: ...
    @property
    def type_key(self) -> str:
        """The same as `kind`."""

    ...

def load_module(path: Any, fmt: Any = ..., check_constants: Any = ...) -> Module:
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
