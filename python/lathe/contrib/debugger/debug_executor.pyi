"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.contrib.graph_executor import GraphModule as GraphModule

class Step:
    """A step of a run.

    Attributes:
        index: its number.
        location: the operators that it computes.
        kernel: the function that computes them.
        nanoseconds: the time it took.
        shapes: the shapes of the tensors that it wrote.
        device: the Device where it ran: that of these tensors.
        function: of a program, the function that it is a step of; else "".
        calls: how often it ran.

    Example:
        >>> from lathe.contrib.debugger import debug_executor
        >>> debug_executor.Step(0, "add", "add_0", 1500, [(2,)]).kernel
        'add_0'
    """
    def __init__(self, index: Any, location: Any, kernel: Any, nanoseconds: Any, shapes: Any, device: Any = ..., function: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class GraphModuleDebug(GraphModule):
    """An executor that reports the time and device of each step: it prints a table and writes a trace.

    Args:
        module: what `lib["default"](device)` gives.
        device, graph_json_str: without effect.
        dump_root: a folder; each run writes `trace.json` there, for Chrome's chrome://tracing.

    Attributes:
        steps: the Steps of the last run.

    Example:
        >>> import lathe, numpy as np
        >>> from lathe import relay
        >>> from lathe.contrib.debugger.debug_executor import GraphModuleDebug
        >>> x = relay.var("x", shape=(2,))
        >>> lib = relay.build(relay.Function([x], relay.exp(x)), "llvm")
        >>> m = GraphModuleDebug(lib["default"](lathe.cpu()), lathe.cpu())
        >>> m.set_input("x", np.zeros(2, "float32"))
        >>> m.run()                              # doctest: +ELLIPSIS
        step ...
        >>> len(m.steps)
        1
    """
    def exit(self) -> Any: ...
    def profile(self, collectors: Any = ..., **input_dict: Any) -> Any: ...
    def run(self, number: Any = ..., repeat: Any = ..., min_repeat_ms: Any = ..., cooldown_interval_ms: Any = ..., repeats_to_cooldown: Any = ..., *, print_table: Any = ..., **input_dict: Any) -> None: ...
    def run_individual(self, number: Any = ..., repeat: Any = ..., min_repeat_ms: Any = ..., cooldown_interval_ms: Any = ..., repeats_to_cooldown: Any = ...) -> list[float]: ...
    def save_trace(self, path: Any) -> None: ...
    def table(self, sort_by_time: Any = ...) -> str: ...
    def __init__(self, module: Any, device: Any = ..., graph_json_str: Any = ..., dump_root: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def create(graph_json_str: Any, libmod: Any, device: Any, dump_root: Any = ...) -> GraphModuleDebug:
    """A GraphModuleDebug for a compiled graph; the arguments are those of graph_executor.create.

    Args:
        dump_root: a folder for the files of `run`.

    Example:
        >>> import lathe
        >>> from lathe import relay
        >>> from lathe.contrib.debugger import debug_executor
        >>> x = relay.var("x", shape=(2,))
        >>> graph, lib, params = relay.build(relay.Function([x], x + x), "llvm")
        >>> debug_executor.create(graph, lib, lathe.cpu()).get_num_inputs()
        1
    """

def table_of(steps: Any, sort_by_time: Any = ...) -> Any:
    """Steps as a text, with the part of the whole time that each took.

    Args:
        steps: Steps. Those of a program also show their function and how often they ran.
        sort_by_time: the longest first; False: in their order.

    Example:
        >>> from lathe.contrib.debugger import debug_executor
        >>> print(debug_executor.table_of([debug_executor.Step(0, "add", "add_0", 1500, [(2,)])]))
        step   us      %  device  shapes  operators
        0     1.5  100.0          2       add
    """
