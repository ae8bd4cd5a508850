"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.autotvm.task.task import Task as Task
from lathe.autotvm.task.space import ConfigSpace as ConfigSpace
from lathe.error import LatheValueError as LatheValueError
from lathe.transform import PassContext as PassContext
from lathe.autotvm.task.task import compute_flop as compute_flop

class KernelTask(Task):
    """A kernel of a graph: an operator with what is fused to it. Made by `extract_from_program`.

    Its knobs are those that topi's schedules ask for, and its space holds what may be chosen.

    Attributes:
        name: of the kernel, after its operators: "nn_conv2d_add_nn_relu".
        args: (workload,): the key of its program and target.
        weight: how often a run of the graph calls it.

    Example:
        >>> from lathe import autotvm, relay
        >>> x, w = relay.var("x", shape=(64, 64)), relay.var("w", shape=(64, 64))
        >>> mod = relay.Function([x, w], relay.nn.dense(x, w))
        >>> task = autotvm.task.extract_from_program(mod, target="llvm")[0]
        >>> task.weight, len(task.config_space) > 100
        (1, True)
    """
    @property
    def func(self) -> Any:
        """A kernel has no template."""

    def instantiate(self, config: Any) -> Any: ...
    def __init__(self, name: Any, workload: Any, targets: Any, arguments: Any, weight: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def extract_from_multiple_program(mods: Any, params: Any, target: Any = ..., target_host: Any = ..., ops: Any = ..., alter_op_layout_target: Any = ...) -> Any:
    """The tasks of several modules; kernels that they share once, with the sum of the weights.

    Args:
        mods: a list of modules.
        params: a list of their parameters, or of None.
        ops, target, target_host, alter_op_layout_target: as for `extract_from_program`.

    Example:
        >>> from lathe import autotvm, relay
        >>> x, w = relay.var("x", shape=(64, 64)), relay.var("w", shape=(64, 64))
        >>> mod = relay.Function([x, w], relay.nn.dense(x, w))
        >>> tasks = autotvm.task.extract_from_multiple_program([mod, mod], [None, None], target="llvm")
        >>> tasks[0].weight
        2
    """

def extract_from_program(mod: Any, params: Any = ..., target: Any = ..., target_host: Any = ..., ops: Any = ..., alter_op_layout_target: Any = ...) -> Any:
    """The tasks of a module: the kernels of `main` that leave a choice, each once.

    Tune them, write a log, and build inside of `apply_history_best(log)`. The passes are those of the
    PassContext: tune what is built with the same one.

    Args:
        mod: an IRModule or a relay.Function.
        params: {name: Tensor or array}: parameters that become constants.
        ops: operators or their names, such as ("nn.conv2d",): only kernels that have one of them.
        target: text or Target; by default the current target, else this processor's.
        target_host: the target of the host.
        alter_op_layout_target: for compatibility, without effect: layouts are those of the build.

    Returns:
        A list of KernelTask, in the order of the graph. Kernels with sizes that runs choose are not
        in it.

    Example:
        >>> from lathe import autotvm, relay
        >>> x, w = relay.var("x", shape=(8, 64)), relay.var("w", shape=(32, 64))
        >>> mod = relay.Function([x, w], relay.nn.relu(relay.nn.dense(x, w)))
        >>> [task.name for task in autotvm.task.extract_from_program(mod, target="llvm", ops=("nn.conv2d",))]
        []
    """
