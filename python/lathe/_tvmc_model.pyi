"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe._tvmc_frontends import TVMCError as TVMCError

class TVMCModel:
    """A model: its module and its parameters.

    Args:
        mod: an IRModule.
        params: {name: Tensor or array}.
        model_path: instead of both, a file that `save` wrote.

    Example:
        >>> from lathe import IRModule, relay, tvmc
        >>> x = relay.var("x", shape=(2,))
        >>> model = tvmc.TVMCModel(IRModule.from_expr(relay.Function([x], x + x)))
        >>> model.name, model.params
        ('default', {})
    """
    def default_tuning_records_path(self) -> Any: ...
    def export_package(self, executor_factory: Any, package_path: Any = ..., cross: Any = ..., cross_options: Any = ..., output_format: Any = ...) -> Any: ...
    def load(self, model_path: Any) -> Any: ...
    def save(self, model_path: Any) -> Any: ...
    def summary(self, file: Any = ...) -> Any: ...
    def __init__(self, mod: Any = ..., params: Any = ..., model_path: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class TVMCPackage:
    """A compiled model in an archive.

    Args:
        package_path: what `compile` wrote.
        project_dir: not supported: projects are microTVM's.

    Attributes:
        lib_path: the library, in a folder that lives as long as this object.
        name: of the graph in the library.

    Example:
        >>> from lathe import IRModule, relay, tvmc
        >>> x = relay.var("x", shape=(2,))
        >>> package = tvmc.compile(tvmc.TVMCModel(IRModule.from_expr(relay.Function([x], x + x))), "llvm")
        >>> package.lib_name
        'mod.so'
    """
    def __init__(self, package_path: Any, project_dir: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class TVMCResult:
    """What a run gave.

    Attributes:
        outputs: {"output_0": array, ...}.
        times: a runtime.BenchmarkResult.

    Example:
        >>> from lathe import tvmc
        >>> tvmc.TVMCResult({"output_0": [1.0]}, None).get_output("output_0")
        [1.0]
    """
    def __str__(self) -> str: ...
    def format_times(self) -> Any: ...
    def get_output(self, name: Any) -> Any: ...
    def save(self, output_path: Any) -> Any: ...
    def __init__(self, outputs: Any, times: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...
