"""Tasks of graphs: the kernels that a module is compiled to."""

import json

from .. import _ffi, _nodes
from ..transform import PassContext
from .compute_dag import ComputeDAG
from .search_task import SearchTask
from .workload_registry import register_workload_tensors

_get = _ffi.get


def extract_tasks(mod, params, target, target_host=None, hardware_params=None,
                  include_simple_tasks=False, dump_workload_to_dag_log=None, opt_level=3,
                  other_targets=None):
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
    from ..relay import _pass_options, build_module

    targets = build_module._targets_of(target, target_host)
    with PassContext(opt_level=opt_level):
        options = _pass_options.packed(PassContext.current())
    module = build_module._with_params(build_module._module_of(mod), params)
    found = {}  # workload -> [task, weight]
    for name, calls, workload, given, _, arguments, constant in _get("graph.kernels", True)(
            module.node, "main", targets, options):
        if workload in found:
            found[workload][1] += calls
            continue
        if not constant:
            continue
        dag = ComputeDAG(list(arguments))
        if not include_simple_tasks and not _reduces(dag.outputs):
            continue
        register_workload_tensors(dag.workload_key(), dag.tensors)
        found[workload] = [SearchTask(compute_dag=dag, target=given, desc=name), calls]
    tasks = [task for task, _ in found.values()]
    if dump_workload_to_dag_log is not None:
        with open(dump_workload_to_dag_log, "w", encoding="utf-8") as out:
            json.dump({task.workload_key: str(task.compute_dag) for task in tasks}, out, indent=1)
    return tasks, [weight for _, weight in found.values()]


def _reduces(operations):
    """Whether one of the operations, or of those that they need, has a reduction."""
    seen, rest = set(), list(operations)
    while rest:
        one = rest.pop()
        if one in seen or isinstance(one, _nodes.CLASSES["PlaceholderOp"]):
            continue
        seen.add(one)
        if getattr(one, "reduce_axis", None):
            return True
        rest += [tensor.op for tensor in one.input_tensors]
    return False


def is_auto_scheduler_enabled():
    """Whether the current PassContext asks for it: `config={"relay.backend.use_auto_scheduler": True}`.

    Builds inside of `ApplyHistoryBest` use its records also without.

    Example:
        >>> from lathe import auto_scheduler
        >>> auto_scheduler.is_auto_scheduler_enabled()
        False
    """
    return bool(PassContext.current().config.get("relay.backend.use_auto_scheduler", False))
