"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe._core import Object as Object
from lathe.error import LatheValueError as LatheValueError

class Group(Object):
    """Stages that are attached together."""
    def compute_at(self, parent: Any, scope: Any) -> Any: ...
    def compute_root(self) -> Any: ...
    @property
    def name(self) -> Any:
        """Unique in the schedule."""

    @property
    def stages(self) -> Any:
        """Its stages."""

    ...

class Schedule(Object):
    """A stage for every operation; primitives change the stages. Mutable; one thread at a time.

    `s[C]` is the stage of a tensor or operation.
    """
    def __copy__(self) -> Any: ...
    def __getitem__(self, item: Any) -> Any: ...
    def __repr__(self) -> str: ...
    def __str__(self) -> str: ...
    def cache_read(self, tensor: Any, scope: Any, readers: Any) -> Any: ...
    def cache_write(self, tensor: Any, scope: Any) -> Any: ...
    def copy(self) -> Any: ...
    def create_group(self, outputs: Any, inputs: Any, include_inputs: Any = ...) -> Any: ...
    def normalize(self) -> Any: ...
    @property
    def outputs(self) -> Any:
        """The operations it was made for."""

    def replay(self, trace: Any) -> Any: ...
    def rfactor(self, tensor: Any, axis: Any, factor_axis: Any = ...) -> Any: ...
    @property
    def stages(self) -> Any:
        """All stages, each after what it reads."""

    def to_program(self, args: Any, name: Any = ...) -> Any: ...
    @property
    def trace(self) -> Any:
        """The primitives so far, as steps that print and replay."""

    def transform_layout(self, tensor: Any, index_map: Any, axis_separators: Any = ...) -> Any: ...
    ...

class Stage(Object):
    """How one operation is computed. Axes are IterVars; `op.axis` are those to begin with."""
    def __eq__(self, other: Any) -> Any: ...  # type: ignore[override]
    def __ne__(self, other: Any) -> Any: ...  # type: ignore[override]
    def __repr__(self) -> str: ...
    @property
    def all_iter_vars(self) -> Any:
        """Every axis that ever was."""

    @property
    def attach_ivar(self) -> Any:
        """The axis it is computed at, or None."""

    @property
    def attach_stage(self) -> Any:
        """The stage it is computed in, or None."""

    @property
    def attach_type(self) -> Any:
        """"root", "inline", "scope" (within another stage's loop) or "scan"."""

    def axis_name(self, axis: Any) -> Any: ...
    def bind(self, ivar: Any, thread_ivar: Any) -> Any: ...
    def compute_at(self, parent: Any, scope: Any) -> Any: ...
    def compute_inline(self) -> Any: ...
    def compute_root(self) -> Any: ...
    def double_buffer(self) -> Any: ...
    def env_threads(self, threads: Any) -> Any: ...
    def fuse(self, *axes: Any) -> Any: ...
    @property
    def is_output(self) -> Any:
        """Is it one of the schedule's outputs?"""

    @property
    def leaf_iter_vars(self) -> Any:
        """The loops, outermost first."""

    @property
    def name(self) -> Any:
        """Unique in the schedule."""

    @property
    def op(self) -> Any:
        """The operation, as primitives rewrote it."""

    @property
    def origin_op(self) -> Any:
        """The operation, as the user made it."""

    def parallel(self, axis: Any) -> Any: ...
    def pipeline(self, axis: Any, stages: Any, asynchronous: Any = ...) -> Any: ...
    def pragma(self, var: Any, pragma_type: Any, pragma_value: Any = ...) -> Any: ...
    def prefetch(self, tensor: Any, var: Any, offset: Any) -> Any: ...
    def reorder(self, *axes: Any) -> Any: ...
    def rolling_buffer(self) -> Any: ...
    @property
    def scope(self) -> Any:
        """The memory scope of its outputs; "" lets the threads decide."""

    def set_scope(self, scope: Any) -> Any: ...
    def set_store_predicate(self, predicate: Any) -> Any: ...
    def split(self, parent: Any, factor: Any = ..., nparts: Any = ...) -> Any: ...
    def storage_align(self, axis: Any, factor: Any, offset: Any) -> Any: ...
    def tensorize(self, var: Any, tensor_intrin: Any, target: Any = ...) -> Any: ...
    def tile(self, x_parent: Any, y_parent: Any, x_factor: Any, y_factor: Any) -> Any: ...
    def unroll(self, axis: Any) -> Any: ...
    def vectorize(self, axis: Any) -> Any: ...
    ...

def AutoInlineElemWise(s: Any) -> Any:
    """Inlines elementwise stages (by tag); returns them."""

def AutoInlineInjective(s: Any) -> Any:
    """Inlines injective stages (by tag); returns them."""

def InferBound(s: Any) -> Any:
    """What each axis of each stage must cover: {axis: Range}."""

def ScheduleOps(s: Any, bounds: Any = ..., args: Any = ...) -> Any:
    """The loop nest of a schedule, before any pass: a statement.

    Args:
        s: the schedule.
        bounds: not needed: they follow from the schedule.
        args: tensors that the function takes; all inputs and outputs by default.
    """

def auto_inline_broadcast(s: Any) -> Any:
    """Inlines broadcasts and elementwise stages (by tag); returns them."""

def auto_inline_elemwise(s: Any) -> Any:
    """Inlines elementwise stages (by tag); returns them."""

def auto_inline_injective(s: Any) -> Any:
    """Inlines injective stages (by tag); returns them."""

def create_read_graph(outputs: Any) -> Any:
    """{operation: the tensors it reads}, in post order."""

def create_schedule(ops: Any) -> Any:
    """A schedule of operations: a stage for each operation that they need.

    Args:
        ops: an operation (`C.op`), a tensor, or a list of them.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> len(te.create_schedule(B.op).stages)
        2
    """

def infer_bound(s: Any) -> Any:
    """What each axis of each stage must cover: {axis: Range}."""

def post_dfs_order(outputs: Any) -> Any:
    """The operations that `outputs` need, each after what it reads."""

def readers(s: Any, tensor: Any) -> Any:
    """The stages that read a tensor."""

def schedule_ops(s: Any, bounds: Any = ..., args: Any = ...) -> Any:
    """The loop nest of a schedule, before any pass: a statement.

    Args:
        s: the schedule.
        bounds: not needed: they follow from the schedule.
        args: tensors that the function takes; all inputs and outputs by default.
    """
