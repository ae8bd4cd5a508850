"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheError as LatheError

class Part:
    """A compiled part of a graph. It is compiled at its first call.

    Args:
        module: the part as a torch.fx.GraphModule, which PyTorch runs if lathe cannot.
        call: the node that calls it.
        options: as for `backend`.
        frozen: the numbers of the arguments that are weights.

    Example:
        >>> from lathe.contrib.torch import Part
        >>> Part(None, None, {"target": "llvm"}, []).function is None
        True
    """
    def __call__(self, *args: Any) -> Any: ...
    def __init__(self, module: Any, call: Any, options: Any, frozen: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class Report(dict):
    """What became of one graph: `compiled`, the number of operators that lathe runs; `parts`, in
    how many pieces; `left`, {operator: why PyTorch runs it}.

    Example:
        >>> from lathe.contrib.torch import Report
        >>> Report(compiled=3, parts=1, left={})["parts"]
        1
    """
    ...

def backend(module: Any, example_inputs: Any, *, options: Any = ..., **_: Any) -> Any:
    """The backend: torch.compile calls it with a graph of torch.fx.

    Args:
        module: the graph.
        example_inputs: tensors, or fake ones.
        options: {"target": by default this processor's; "opt_level": 3; "freeze": False}. With
            "freeze", weights are constants, which the compiler arranges as it likes; changes of a
            weight are noticed by PyTorch's count of its versions, so not those of `weight.data`.

    Returns:
        A function of the inputs.

    Raises:
        LatheError: `torch-options`.

    Example:
        >>> from lathe.contrib import torch as backend
        >>> callable(backend.backend)
        True
    """

def compile_graph(graph: Any, inputs: Any, options: Any = ..., freeze: Any = ...) -> Any:
    """A function that runs a graph of PyTorch's operators: parts of it compiled.

    Args:
        graph: a torch.fx.GraphModule whose nodes have their values' shapes (`meta["val"]`).
        inputs: not read.
        options: as for `backend`, complete.
        freeze: are weights constants?

    Example:
        >>> from lathe.contrib import torch as backend
        >>> callable(backend.compile_graph)
        True
    """

log: Any

def register() -> Any:
    """Registers the backend "lathe" with torch.compile; a wheel that is installed needs no call.

    Example:
        >>> from lathe.contrib import torch as backend
        >>> callable(backend.register)
        True
    """

def reports() -> Any:
    """The reports of the last graphs, the newest last.

    Example:
        >>> from lathe.contrib import torch as backend
        >>> isinstance(backend.reports(), list)
        True
    """
