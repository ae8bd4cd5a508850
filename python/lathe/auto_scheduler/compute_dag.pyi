"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheError as LatheError
from lathe.error import LatheTypeError as LatheTypeError
from lathe.auto_scheduler.loop_state import State as State
from lathe.auto_scheduler._steps import ranges as ranges
from lathe import te as te
from lathe.auto_scheduler.workload_registry import workload_key_to_tensors as workload_key_to_tensors

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
    def __str__(self) -> str: ...
    def apply_steps_from_state(self, state: Any, layout_rewrite: Any = ...) -> Any: ...
    def get_init_state(self) -> Any: ...
    def infer_bound_from_state(self, state: Any) -> Any: ...
    def print_python_code_from_state(self, state: Any) -> Any: ...
    def workload_key(self) -> Any: ...
    def __init__(self, compute: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

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
    @staticmethod
    def get_target_default(target: Any, in_relay_integration: Any = ...) -> Any: ...
    ...

def rewritten(schedule: Any, option: Any) -> Any:
    """The schedule as a LayoutRewriteOption wants it; None: as it is.

    Example:
        >>> from lathe import te
        >>> from lathe.auto_scheduler.compute_dag import rewritten
        >>> s = te.create_schedule(te.compute((4,), lambda i: i, name="A").op)
        >>> rewritten(s, None) is s
        True
    """
