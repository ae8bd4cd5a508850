"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.relay.expr as _relay
import lathe._irmodule as _irmodule
import lathe.relay.backend.executor_factory as _factory
from lathe.runtime.container import ADT as ADT
from lathe.relay.backend.executor_factory import GraphExecutorFactoryModule as GraphExecutorFactoryModule
from lathe._irmodule import IRModule as IRModule
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError
from lathe.transform import PassContext as PassContext
from lathe.target import Target as Target
from lathe.runtime.tensor import Tensor as Tensor
from lathe.runtime.tensor import array as array
from lathe.runtime.device import cpu as cpu
from lathe.relay.annotation import device_name as device_name

class Executor:
    """Runs functions of a module: `executor.evaluate()(arguments...)`.

    Example:
        >>> import numpy as np
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> executor = relay.create_executor("debug", relay.Function([x], x + x))
        >>> executor.evaluate()(np.ones(2, "float32")).numpy().tolist()
        [2.0, 2.0]
    """
    def evaluate(self, expr: Any = ..., binds: Any = ...) -> Any: ...
    def __init__(self, kind: Any, mod: Any, device: Any, target: Any, params: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def bind_params_by_name(func: Any, params: Any) -> _relay.Function:
    """A function with parameters replaced by constants of their names.

    Args:
        func: a relay.Function.
        params: {name: Tensor or array}. A Tensor's memory is shared, and must not change
            afterwards; arrays are copied. Names that are no parameters are ignored.

    Raises:
        LatheError: an array of another type or shape than its parameter (`relay-parameter`).

    Example:
        >>> import numpy as np
        >>> from lathe import relay
        >>> x, w = relay.var("x", shape=(2,)), relay.var("w", shape=(2,))
        >>> func = relay.build_module.bind_params_by_name(
        ...     relay.Function([x, w], x * w), {"w": np.ones(2, "float32")})
        >>> [p.name_hint for p in func.params]
        ['x']
    """

def build(ir_mod: Any, target: Any = ..., target_host: Any = ..., executor: Any = ..., runtime: Any = ..., workspace_memory_pools: Any = ..., constant_memory_pools: Any = ..., params: Any = ..., mod_name: Any = ..., *, time_limit: Any = ...) -> _factory.GraphExecutorFactoryModule:
    """Compiles the function `main` of a module.

    The PassContext in force says which passes run: `opt_level` 0 to 3, `disabled_pass` by Lathe's
    names (`relay.transform.passes()`) or Relay's. On a terminal, a line says how many kernels are compiled.

    Args:
        ir_mod: an IRModule or a relay.Function.
        target: text or Target; by default the current target, else this processor's. Or several:
            {device: target}, `{"cpu": "llvm", "opencl": "opencl"}`, or a list. With one target,
            all runs on its device. With several, on the host, or the device that the PassContext's
            config "relay.fallback_device_type" names, and what `relay.annotation.on_device` marks
            where that says. What a device cannot run (sorting, recurrences) runs on the host; a
            UserWarning says so.
        target_host: the target of the host: its kernels, and the code that launches others.
        executor, runtime, workspace_memory_pools, constant_memory_pools: without effect: there is
            one executor, which plans memory by itself.
        params: {name: Tensor or array}: parameters of `main` that become constants.
        mod_name: the name under which the graph is found: `lib[mod_name](device)`.
        time_limit: seconds for the whole build; if it takes longer, it ends with
            `compile-time-limit`. By default the PassContext's; 0: no limit.

    Returns:
        A GraphExecutorFactoryModule: `lib["default"](device)` makes an executor,
        `lib.export_library(path)` writes a file that loads with the runtime alone.

    A function with the attribute "Compiler" (`relay.transform.PartitionGraph`) is compiled by the function
    "relay.ext.COMPILER" of the registry: relay.Function -> runtime module. (A function that is not
    Python's gets the bytes of a graph module with this one function.) The runtime module has a
    function with the name that the attribute "global_symbol" says; it gets the inputs, then memory
    for the results, as tensors.

    Raises:
        LatheError: the graph is wrong; `relay-codegen`: no such code generator, or no such function;
            `graph-target`, `relay-target`: graphs are not compiled for
            such targets; `graph-no-target`: on_device names a device without a target; the graph
            has what no plan can express (`graph-plan-unsupported`: `vm.compile` takes it).

    Example:
        >>> import lathe, numpy as np
        >>> from lathe import relay
        >>> from lathe.contrib import graph_executor
        >>> x = relay.var("x", shape=(2, 3))
        >>> lib = relay.build(relay.Function([x], relay.nn.relu(x)), "llvm")
        >>> m = graph_executor.GraphModule(lib["default"](lathe.cpu()))
        >>> m.run(x=np.full((2, 3), -1, "float32"))
        >>> m.get_output(0).numpy().tolist()
        [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """

def create_executor(kind: Any = ..., mod: Any = ..., device: Any = ..., target: Any = ..., params: Any = ...) -> Executor:
    """An Executor.

    Args:
        kind: "graph": compiled, by `build`. "vm": compiled, by `vm.compile`: also functions that call
            themselves, closures and data types; for other devices than the host, as "graph".
            "debug": interpreted.
        mod: an IRModule or a relay.Function.
        device: where the graph runs, if `target` is for such a device; None for the host.
        target: as for `build`.
        params: as for `build`.

    Raises:
        LatheValueError: `relay-executor-kind`; `graph-device` for a device that the target is not
            for.

    Example:
        >>> import numpy as np
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> run = relay.create_executor("graph", relay.Function([x], x * 3.0)).evaluate()
        >>> run(np.ones(2, "float32")).numpy().tolist()
        [3.0, 3.0]
    """

def optimize(mod: Any, target: Any = ..., params: Any = ...) -> tuple[_irmodule.IRModule, dict[str, Any]]:
    """The module after the passes over graphs, before fusion, and the parameters that are left.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> mod, params = relay.optimize(relay.Function([x], x + (relay.const(1.0) + 2.0)), "llvm")
        >>> str(mod).count("add(")
        1
    """
