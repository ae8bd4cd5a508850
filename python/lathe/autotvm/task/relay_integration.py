"""Tasks of graphs: the kernels that a module is compiled to."""

import re

from ... import _ffi
from ...error import LatheValueError
from ...transform import PassContext
from .space import ConfigSpace
from .task import Task, compute_flop

_get = _ffi.get
# What kernels are named after that do not have an operator's own name.
_ALSO = {"dense": "matmul", "batch_matmul": "matmul"}


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

    def __init__(self, name, workload, targets, arguments, weight):
        target, self._canonical = targets
        super().__init__(name, (workload,), target)
        self.weight = weight
        self._arguments = list(arguments)
        context = PassContext.current().packed()
        context[3] = context[4] = None
        self.config_space = ConfigSpace()
        knobs = _get("tune.kernel_knobs", True)(self._arguments, name, target, context)
        # A build without records has this one: with it in the log, its best is never slower.
        self.first = self.config_space._add_knobs(knobs)

    @property
    def func(self):
        """A kernel has no template."""
        return None

    def instantiate(self, config):
        """The schedule of a configuration, and the function's arguments."""
        knobs = [(knob, value) for knob, _, value in config.to_json_dict()["entity"]]
        schedule = _get("tune.kernel_schedule", True)(
            self._arguments, self._canonical, [knob for knob, _ in knobs], [value for _, value in knobs])
        self.flop = self.flop or compute_flop(schedule, self._arguments)
        return schedule, self._arguments


def _is_of(kernel, ops):
    """Whether one of the operators is in a kernel, by its name."""
    for op in ops:
        last = str(getattr(op, "name", op)).rpartition(".")[2]
        for word in {last, _ALSO.get(last, last)}:
            if re.search(rf"(^|_){re.escape(word)}(_|$)", kernel):
                return True
    return False


def extract_from_program(mod, params=None, target=None, target_host=None, ops=None,
                         alter_op_layout_target=None):
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
    return extract_from_multiple_program([mod], [params], target, target_host, ops)


def extract_from_multiple_program(mods, params, target=None, target_host=None, ops=None,
                                  alter_op_layout_target=None):
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
    from ...relay import _pass_options, build_module

    mods, params = list(mods), list(params)
    if len(mods) != len(params):
        raise LatheValueError("each module needs its parameters, or None", "tune-program",
                              f"expected: {len(mods)}\nfound: {len(params)}")
    tasks = {}
    targets = build_module._targets_of(target, target_host)
    options = _pass_options.packed(PassContext.current())
    for mod, values in zip(mods, params):
        module = build_module._with_params(build_module._module_of(mod), values)
        for name, calls, workload, given, canonical, arguments, constant in _get(
                "graph.kernels", True)(module.node, "main", targets, options):
            if not constant or (ops is not None and not _is_of(name, ops)):
                continue
            if workload in tasks:
                tasks[workload].weight += calls
                continue
            task = KernelTask(name, workload, (given, canonical), arguments, calls)
            if task.config_space.space_map:
                tasks[workload] = task
    return list(tasks.values())
