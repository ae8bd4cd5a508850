"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.runtime.module as _runtime
import lathe.runtime.tensor as _tensor
from lathe.error import LatheError as LatheError
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError
from lathe.runtime.module import Module as Module

class GraphModule:
    """An executor: inputs and outputs of a compiled graph, with memory of its own.

    The graph may be in a session's worker: `session.load_module("net.tar")["default"](session.cpu())`.
    Then its inputs and outputs are tensors there; inputs that are here are copied.

    One thread at a time uses an executor; several executors of one module share code and constants,
    and run at the same time.

    Args:
        module: what `lib["default"](device)` gives.

    Attributes:
        module: the same.

    Example:
        >>> import lathe, numpy as np
        >>> from lathe import relay
        >>> from lathe.contrib import graph_executor
        >>> x = relay.var("x", shape=(2,))
        >>> lib = relay.build(relay.Function([x], x * 2.0), "llvm")
        >>> m = graph_executor.GraphModule(lib["default"](lathe.cpu()))
        >>> m.set_input("x", np.ones(2, "float32"))
        >>> m.run()
        >>> m.get_output(0).numpy().tolist()
        [2.0, 2.0]
    """
    def __getitem__(self, key: Any) -> Any: ...
    def benchmark(self, device: Any = ..., func_name: Any = ..., repeat: Any = ..., number: Any = ..., min_repeat_ms: Any = ..., end_to_end: Any = ..., cooldown_interval_ms: Any = ..., repeats_to_cooldown: Any = ..., **kwargs: Any) -> _runtime.BenchmarkResult: ...
    def get_input(self, index: Any, out: Any = ...) -> _tensor.Tensor: ...
    def get_input_device(self, key: Any) -> Any: ...
    def get_input_index(self, name: Any) -> int: ...
    def get_input_info(self) -> Any: ...
    def get_num_inputs(self) -> int: ...
    def get_num_outputs(self) -> int: ...
    def get_output(self, index: Any, out: Any = ...) -> _tensor.Tensor: ...
    def get_output_device(self, index: Any) -> Any: ...
    def load_params(self, params_bytes: Any) -> None: ...
    def run(self, **input_dict: Any) -> None: ...
    def set_input(self, key: Any = ..., value: Any = ..., **params: Any) -> None: ...
    def set_input_zero_copy(self, key: Any, value: Any = ..., **params: Any) -> None: ...
    def set_output_zero_copy(self, key: Any, value: Any) -> None: ...
    def share_params(self, other: Any, params_bytes: Any = ...) -> None: ...
    def __init__(self, module: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

AotModule = GraphModule

def create(graph_json_str: Any, libmod: Any, device: Any) -> GraphModule:
    """An executor for a compiled graph.

    Args:
        graph_json_str: what `lib.get_graph_json()` gave; or the name of the graph.
        libmod: the module that `relay.build` made, or that was loaded from a file.
        device: the device, or the list of devices.

    Example:
        >>> import lathe
        >>> from lathe import relay
        >>> from lathe.contrib import graph_executor
        >>> x = relay.var("x", shape=(2,))
        >>> graph, lib, params = relay.build(relay.Function([x], x + x), "llvm")
        >>> graph_executor.create(graph, lib, lathe.cpu()).get_num_inputs()
        1
    """

def get_device(libmod: Any, device: Any) -> Any:
    """[device], for scripts that call it.

    Example:
        >>> import lathe
        >>> lathe.contrib.graph_executor.get_device(None, lathe.cpu())
        [device("cpu", 0)]
    """
