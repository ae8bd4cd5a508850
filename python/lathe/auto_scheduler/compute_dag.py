"""A computation: the operations that tensors need."""

from .. import _ffi, _nodes, te
from ..error import LatheError, LatheTypeError
from ._steps import ranges
from .loop_state import State
from .workload_registry import workload_key_to_tensors

_get = _ffi.get


class LayoutRewriteOption:
    """What is done with the inputs that an operation's attribute `layout_free_placeholders` lists.

    Attributes:
        NO_REWRITE, INSERT_TRANSFORM_STAGE: inputs stay as they are. Here these two are the same: any
            schedule may copy what it reads into another layout.
        REWRITE_FOR_PRE_TRANSFORMED: the schedule chooses their layouts. Candidates are measured with
            inputs in these, and `Schedule.in_layout` puts a caller's values in them. For processors
            with caches; for devices with threads inputs stay.

    Example:
        >>> from lathe import auto_scheduler
        >>> auto_scheduler.LayoutRewriteOption.get_target_default("llvm")
        1
    """

    NO_REWRITE = 0
    INSERT_TRANSFORM_STAGE = 1
    REWRITE_FOR_PRE_TRANSFORMED = 2

    @staticmethod
    def get_target_default(target, in_relay_integration=False):
        """INSERT_TRANSFORM_STAGE: what calls a kernel knows nothing of layouts.

        Args:
            target: for compatibility, without effect.
            in_relay_integration: for compatibility, without effect: graphs put constant weights in
                layouts that their kernels read well before kernels are searched.
        """
        return LayoutRewriteOption.INSERT_TRANSFORM_STAGE


def rewritten(schedule, option):
    """The schedule as a LayoutRewriteOption wants it; None: as it is.

    Example:
        >>> from lathe import te
        >>> from lathe.auto_scheduler.compute_dag import rewritten
        >>> s = te.create_schedule(te.compute((4,), lambda i: i, name="A").op)
        >>> rewritten(s, None) is s
        True
    """
    if option == LayoutRewriteOption.REWRITE_FOR_PRE_TRANSFORMED:
        return schedule.pre_transform()
    return schedule


class ComputeDAG:
    """The computation of a list of tensors, inputs and outputs.

    Args:
        compute: the tensors, or a workload's key.

    Attributes:
        tensors: inputs and outputs, in the order in which a function takes them.
        flop_ct: the operations on elements that it does.

    Example:
        >>> from lathe import auto_scheduler, te
        >>> A = te.placeholder((4, 4), name="A")
        >>> dag = auto_scheduler.ComputeDAG([A, te.compute((4, 4), lambda i, j: A[i, j] + 1.0, name="B")])
        >>> dag.flop_ct
        16.0
    """

    def __init__(self, compute):
        if isinstance(compute, str):
            compute = workload_key_to_tensors(compute)
        if not isinstance(compute, (list, tuple)):
            raise LatheTypeError("a computation must be a list of tensors", "auto-scheduler-workload",
                                 f"expected: inputs and outputs, or a workload's key\nfound: {compute!r}")
        self.tensors = list(compute)
        computed = [one.op for one in self.tensors if not isinstance(one.op, _nodes.CLASSES["PlaceholderOp"])]
        self.outputs = list(dict.fromkeys(computed))
        self.flop_ct = float(_get("tune.count_operations")(self.outputs))

    def workload_key(self):
        """A key of the computation: equal for computations that differ only in names."""
        return _get("tune.workload_key")(self.tensors)

    def apply_steps_from_state(self, state, layout_rewrite=None):
        """(schedule, tensors) of a state. Lengths that nobody has chosen yet are 1.

        Args:
            layout_rewrite: a LayoutRewriteOption.
        """
        return rewritten(state.schedule, layout_rewrite), self.tensors

    def print_python_code_from_state(self, state):
        """The steps of a state's schedule, as text; of a sketch those with its free choices."""
        steps = state.transform_steps if state.is_sketch() else state._made().trace
        return "\n".join(str(step) for step in steps)

    def get_init_state(self):
        """The state without a schedule."""
        return State({}, te.create_schedule(self.outputs))

    def infer_bound_from_state(self, state):
        """The state: the ranges of a schedule's loops are known at all times.

        Raises:
            LatheError: the schedule is one that cannot be lowered.
        """
        ranges(state._made())
        return state

    def _is_computed_by(self, schedule):
        """Whether it is a schedule of this computation."""
        try:
            made = [schedule[one].is_output for one in self.outputs]
        except LatheError:  # it has no such operation
            return False
        return all(made) and len(schedule.outputs) == len(self.outputs)

    def __str__(self):
        return str(te.create_schedule(self.outputs).to_program(self.tensors, "compute_dag"))
