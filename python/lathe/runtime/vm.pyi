"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.runtime.module import BenchmarkResult as BenchmarkResult
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError
from lathe.runtime.module import Module as Module
from lathe.runtime.tensor import array as array
from lathe.runtime.device import cpu as cpu

class Executable:
    """A compiled program: functions in the form of instructions, plans of kernels, constants.

    Args:
        mod: the runtime module that has the program.
        name: the program's name in the module.

    Attributes:
        mod: the module. `mod.export_library(path)` writes a file that loads with the runtime alone.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> exe = relay.vm.compile(relay.Function([x], x + x), "llvm")
        >>> exe.globals, exe.get_function_params("main")
        (['main'], ['x'])
    """
    def __getitem__(self, key: Any) -> Any: ...
    def __repr__(self) -> str: ...
    @property
    def bytecode(self) -> Any:
        """The instructions of all functions as text."""

    @property
    def constants(self) -> Any:
        """The number of constants."""

    def get_function_params(self, func_name: Any) -> Any: ...
    @property
    def globals(self) -> Any:
        """The names of the functions that can be called."""

    @property
    def lib(self) -> Any:
        """The module."""

    @staticmethod
    def load_exec(bytecode: Any, lib: Any) -> Any: ...
    @property
    def primitive_ops(self) -> Any:
        """The names of the kernels."""

    def save(self) -> Any: ...
    @property
    def stats(self) -> Any:
        """Numbers of the program as text."""

    def __init__(self, mod: Any, name: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class VirtualMachine:
    """Runs an Executable.

    Args:
        exe: an Executable, or the runtime module that has its program.
        device: the host.
        memory_cfg: without effect: plans manage memory by themselves.

    Example:
        >>> import lathe, numpy as np
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(relay.Any(),))
        >>> exe = relay.vm.compile(relay.Function([x], x * 2.0), "llvm")
        >>> vm = lathe.runtime.vm.VirtualMachine(exe, lathe.cpu())
        >>> vm.run(np.ones(3, "float32")).numpy().tolist()
        [2.0, 2.0, 2.0]
    """
    def __repr__(self) -> str: ...
    def benchmark(self, device: Any = ..., *args: Any, func_name: Any = ..., repeat: Any = ..., number: Any = ..., min_repeat_ms: Any = ..., end_to_end: Any = ..., **kwargs: Any) -> Any: ...
    def get_input_index(self, input_name: Any, func_name: Any = ...) -> Any: ...
    def get_outputs(self) -> Any: ...
    def invoke(self, func_name: Any, *args: Any, **kwargs: Any) -> Any: ...
    def invoke_stateful(self, func_name: Any) -> Any: ...
    def run(self, *args: Any, **kwargs: Any) -> Any: ...
    def set_input(self, func_name: Any, *args: Any, **kwargs: Any) -> Any: ...
    def __init__(self, exe: Any, device: Any = ..., memory_cfg: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...
