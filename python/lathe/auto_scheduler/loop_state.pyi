"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheError as LatheError
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError
from lathe.te.schedule import Schedule as Schedule
from lathe.auto_scheduler._steps import Step as Step
from lathe.auto_scheduler._lookup import checked_lengths as checked_lengths
from lathe.auto_scheduler._lookup import checked_whole as checked_whole
from lathe.auto_scheduler._lookup import loop_at as loop_at
from lathe.auto_scheduler._lookup import loop_name as loop_name
from lathe.auto_scheduler._loop_text import loop_text as loop_text
from lathe.auto_scheduler._lookup import loops_at as loops_at
from lathe.auto_scheduler._lookup import number_of as number_of
from lathe.auto_scheduler._lookup import source_of as source_of
from lathe.auto_scheduler._lookup import stage_name as stage_name
from lathe.auto_scheduler._lookup import whole_of as whole_of

class Iterator:
    """A loop of a stage.

    Attributes:
        name: as the schedule calls it.
        annotation: a number of `State.ANNOTATION_TRANS_TABLE`.
        iter_kind: 0: of an output's axis; 1: of a reduction; 3: another one.
        range: its Range in the state as it is now; None while that depends on a length which nobody
            has chosen, or the loop is no more.

    Example:
        >>> from lathe import auto_scheduler, te
        >>> A = te.placeholder((64,), name="A")
        >>> B = te.compute((64,), lambda i: A[i] + 1.0, name="B")
        >>> state = auto_scheduler.ComputeDAG([A, B]).get_init_state()
        >>> int(state[B].iters[0].range.extent)
        64
    """
    def __eq__(self, other: Any) -> Any: ...  # type: ignore[override]
    def __repr__(self) -> str: ...
    @property
    def range(self) -> Any:
        """Its Range, or None."""

    def __init__(self, state: Any, stage_name: Any, name: Any, annotation: Any, iter_kind: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class Stage:
    """How a state computes an operation.

    Attributes:
        name, op: of the operation, as steps have rewritten it.
        iters: its present loops ([Iterator]), from the outer to the inner.

    Example:
        >>> from lathe import auto_scheduler, te
        >>> A = te.placeholder((64,), name="A")
        >>> B = te.compute((64,), lambda i: A[i] + 1.0, name="B")
        >>> state = auto_scheduler.ComputeDAG([A, B]).get_init_state()
        >>> [(stage.name, len(stage.iters)) for stage in state.stages]
        [('A', 0), ('B', 1)]
    """
    def __repr__(self) -> str: ...
    def __init__(self, name: Any, op: Any, iters: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class State:
    """A schedule of a computation, and how it came about.

    `dag.get_init_state()` gives the one without a schedule. Its methods change it; `copy()` keeps
    what there is. A split some of whose lengths are None is a free choice: such a state is a sketch.
    Until a search fills them in, they are 1.

    Stages are named by their number, operation or tensor. `state[C]` is the stage of one.

    Args:
        knobs: {name: value}: the point of a space that it is; or a state, of which this is a copy.
        schedule: the schedule; beside a state its ComputeDAG, which has no effect.

    Attributes:
        knobs, schedule: of these arguments. `schedule` is a te.Schedule.

    Example:
        >>> from lathe import auto_scheduler
        >>> auto_scheduler.State({"C.unroll": 16}, None).knobs
        {'C.unroll': 16}
    """
    def __copy__(self) -> Any: ...
    def __eq__(self, other: Any) -> Any: ...  # type: ignore[override]
    def __getitem__(self, key: Any) -> Any: ...
    def __repr__(self) -> str: ...
    def __str__(self) -> str: ...
    def bind(self, stage: Any, iterator: Any, thread_name: Any) -> Any: ...
    def cache_read(self, stage: Any, scope_name: Any, reader_stages: Any) -> Any: ...
    def cache_write(self, stage: Any, scope_name: Any) -> Any: ...
    def compute_at(self, stage: Any, target_stage: Any, target_iter: Any) -> Any: ...
    def compute_inline(self, stage: Any) -> Any: ...
    def compute_root(self, stage: Any) -> Any: ...
    def copy(self) -> Any: ...
    def follow_fused_split(self, stage: Any, iterator: Any, src_step_ids: Any, level: Any, factor_or_nparts: Any) -> Any: ...
    def follow_split(self, stage: Any, iterator: Any, src_step_id: Any, n_split: Any) -> Any: ...
    def fuse(self, stage: Any, iters: Any) -> Any: ...
    def is_sketch(self) -> Any: ...
    def parallel(self, stage: Any, iterator: Any) -> Any: ...
    def pragma(self, stage: Any, iterator: Any, pragma_type: Any) -> Any: ...
    def reorder(self, stage: Any, order: Any) -> Any: ...
    def rfactor(self, stage: Any, iterator: Any, factor_iter_id: Any) -> Any: ...
    def split(self, stage: Any, iterator: Any, lengths: Any, inner_to_outer: Any = ...) -> Any: ...
    @property
    def stage_ops(self) -> Any:
        """The operations of the stages."""

    @property
    def stages(self) -> Any:
        """All stages ([Stage]), inputs too; each follows those that it reads."""

    @property
    def state_object(self) -> Any:
        """The state itself."""

    def storage_align(self, stage: Any, iterator: Any, factor: Any, offset: Any) -> Any: ...
    def tensorize(self, stage: Any, iterator: Any, ti_func_name: Any) -> Any: ...
    @property
    def transform_steps(self) -> Any:
        """The steps: those of the schedule that it began with, then one for each call."""

    def unroll(self, stage: Any, iterator: Any, max_unroll: Any = ...) -> Any: ...
    def vectorize(self, stage: Any, iterator: Any) -> Any: ...
    def __init__(self, knobs: Any, schedule: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

StateObject = State
