"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.auto_scheduler.compute_dag import ComputeDAG as ComputeDAG
from lathe.transform import PassContext as PassContext
from lathe.auto_scheduler.search_task import SearchTask as SearchTask
from lathe.auto_scheduler.workload_registry import register_workload_tensors as register_workload_tensors

def extract_tasks(mod: Any, params: Any, target: Any, target_host: Any = ..., hardware_params: Any = ..., include_simple_tasks: Any = ..., dump_workload_to_dag_log: Any = ..., opt_level: Any = ..., other_targets: Any = ...) -> Any:
    """The tasks of a module: the kernels of `main` that reduce something, each once.

    Tune them with a `TaskScheduler`, and build inside of `ApplyHistoryBest(file)`.

    Args:
        mod: an IRModule or a relay.Function.
        params: {name: Tensor or array}: parameters that become constants.
        target, target_host: text or Target.
        hardware_params, other_targets: for compatibility, without effect.
        include_simple_tasks: kernels without a reduction, too.
        dump_workload_to_dag_log: a path: gets a JSON object, workload keys with the computations.
        opt_level: of the PassContext with which it will be built.

    Returns:
        (tasks, weights): SearchTasks in the order of the graph, and how often a run calls each.
        Kernels with sizes that runs choose are not among them.

    Example:
        >>> from lathe import auto_scheduler, relay
        >>> x, w = relay.var("x", shape=(8, 64)), relay.var("w", shape=(32, 64))
        >>> mod = relay.Function([x, w], relay.nn.relu(relay.nn.dense(x, w)))
        >>> tasks, weights = auto_scheduler.extract_tasks(mod, None, "llvm")
        >>> tasks[0].desc, weights
        ('matmul_nn_relu', [1])
    """

def is_auto_scheduler_enabled() -> Any:
    """Whether the current PassContext asks for it: `config={"relay.backend.use_auto_scheduler": True}`.

    Builds inside of `ApplyHistoryBest` use its records also without.

    Example:
        >>> from lathe import auto_scheduler
        >>> auto_scheduler.is_auto_scheduler_enabled()
        False
    """
