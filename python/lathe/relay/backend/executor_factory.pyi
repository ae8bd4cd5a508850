"""Written by python/stubs/make_stubs.py."""

from typing import Any, Iterator
import lathe.runtime.module as _runtime
import lathe.runtime.tensor as _tensor
from lathe.runtime.device import cpu as cpu

class GraphExecutorFactoryModule:
    """A compiled graph.

    `lib["default"](device)` makes an executor, for `lathe.contrib.graph_executor.GraphModule`. A
    graph for several devices takes all of them, `lib["default"](lathe.cpu(), lathe.cl())`; those
    that are left out are the first of their kinds.

    Attributes:
        module: the runtime module: kernels, constants and the plan.
        ir_mod: the IRModule that was compiled.
        target: the Target, or the list of Targets.
        libmod_name: the name of the graph in the module.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> relay.build(relay.Function([x], x + x), "llvm").libmod_name
        'default'
    """
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getitem__(self, item: Any) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __repr__(self) -> str: ...
    def export_library(self, file_name: Any, fcompile: Any = ..., addons: Any = ..., **kwargs: Any) -> None: ...
    def get_executor_config(self) -> Any: ...
    def get_graph_json(self) -> str: ...
    def get_lib(self) -> _runtime.Module: ...
    def get_params(self) -> dict[str, _tensor.Tensor]: ...
    @property
    def graph_json(self) -> Any:
        """The same as `get_graph_json()`."""

    @property
    def lib(self) -> Any:
        """The runtime module."""

    @property
    def params(self) -> Any:
        """The same as `get_params()`."""

    def __init__(self, ir_mod: Any, target: Any, module: Any, libmod_name: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...
