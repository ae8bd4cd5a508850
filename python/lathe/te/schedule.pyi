"""Written by python/stubs/make_stubs.py."""

from typing import Any, Sequence, overload
import lathe.ir as _ir
from lathe._core import Object as Object
from lathe.te._stage import Group as Group
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError
from lathe.te._stage import Stage as Stage

class Schedule(Object):
    """A stage for every operation. Primitives change the stages. Use it in one thread at a time.

    `s[C]` is the stage of a tensor or operation.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> s = te.create_schedule(B.op)
        >>> [stage.name for stage in s.stages]
        ['A', 'B']
    """
    def __copy__(self) -> Schedule: ...
    def __getitem__(self, item: Any) -> Stage: ...
    def __repr__(self) -> str: ...
    def __str__(self) -> str: ...
    def cache_read(self, tensor: Any, scope: str, readers: Any) -> _ir.Tensor: ...
    @overload
    def cache_write(self, tensor: _ir.Tensor, scope: str) -> _ir.Tensor:
        """Computes `tensor` in memory `scope` first; returns the tensor that is computed there.

        Example:
            >>> from lathe import te
            >>> A = te.placeholder((64,), name="A")
            >>> B = te.compute((64,), lambda i: A[i] + 1.0, name="B")
            >>> s = te.create_schedule(B.op)
            >>> s.cache_write(B, "local").op.name
            'B.local'
        """
    @overload
    def cache_write(self, tensor: Sequence[_ir.Tensor], scope: str) -> tuple[_ir.Tensor, ...]: ...
    def copy(self) -> Schedule: ...
    def create_group(self, outputs: Any, inputs: Any, include_inputs: Any = ...) -> Group: ...
    @property
    def groups(self) -> Any:
        """The groups made with `create_group`, in order."""

    def in_layout(self, tensor: Any, values: Any) -> Any: ...
    def normalize(self) -> Schedule: ...
    @property
    def outputs(self) -> tuple[_ir.Op, ...]:
        """The operations it was made for."""

    def pre_transform(self, tensors: Any = ...) -> Any: ...
    def replay(self, trace: Any) -> None: ...
    def rfactor(self, tensor: Any, axis: Any, factor_axis: Any = ...) -> Any: ...
    @property
    def stages(self) -> tuple[Stage, ...]:
        """All stages; each follows the stages that it reads."""

    def to_program(self, args: Any, name: Any = ...) -> _ir.Program: ...
    @property
    def trace(self) -> Any:
        """The primitives applied so far, as steps that can be printed and replayed."""

    def transform_layout(self, tensor: Any, index_map: Any, axis_separators: Any = ...) -> None: ...
    ...

AXIS_SEPARATOR: Any

def AutoInlineElemWise(s: Any) -> tuple[Stage, ...]:
    """Inlines elementwise stages, found by their tags; returns them.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B", tag="elemwise")
        >>> C = te.compute((8,), lambda i: B[i] * 2.0, name="C", tag="elemwise")
        >>> [stage.name for stage in te.schedule.auto_inline_elemwise(te.create_schedule(C.op))]
        ['B']
    """

def AutoInlineInjective(s: Any) -> tuple[Stage, ...]:
    """Inlines injective stages, found by their tags; returns them.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((4, 8), name="A")
        >>> B = te.compute((8, 4), lambda i, j: A[j, i], name="B", tag="injective")
        >>> C = te.compute((8, 4), lambda i, j: B[i, j] * 2.0, name="C", tag="elemwise")
        >>> [stage.name for stage in te.schedule.auto_inline_injective(te.create_schedule(C.op))]
        ['B']
    """

def InferBound(s: Any) -> dict[_ir.IterVar, _ir.Range]:
    """The range that each axis of each stage must cover: {axis: Range}.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> s = te.create_schedule(B.op)
        >>> bounds = te.schedule.infer_bound(s)
        >>> int(bounds[B.op.axis[0]].extent)
        8
    """

def ScheduleOps(s: Any, bounds: Any = ..., args: Any = ...) -> _ir.Stmt:
    """The loop nest of a schedule, before any pass: a statement.

    Args:
        s: the schedule.
        bounds: ignored; they follow from the schedule.
        args: the function's tensors; all inputs and outputs by default.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> s = te.create_schedule(B.op)
        >>> stmt = te.schedule.schedule_ops(s)
    """

def SchedulePostProcToPrimFunc(arg_list: Any, body: Any, extern_buffer: Any = ...) -> Any:
    """A function of loops: parameters that are tensors are its buffers.

    Args:
        arg_list: tensors of te, buffers and variables, in the order of the parameters.
        body: a statement, such as `schedule_ops` gives. A tensor's buffer in it has the tensor's name,
            shape and element type.
        extern_buffer: {Tensor: Buffer}: buffers to use instead.

    Returns:
        A tir.Func of the name "main". Tensors between the arguments are `realize` statements in it, which
        `tir.transform.CompactBufferAllocation` gives memory.

    Raises:
        LatheValueError: `schedule-equal-names`: it is not known which buffer is a tensor's.

    Example:
        >>> import numpy as np, lathe
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> s = te.create_schedule(B.op)
        >>> body = te.schedule.ScheduleOps(s, te.schedule.InferBound(s))
        >>> func = te.schedule.SchedulePostProcToPrimFunc([A, B], body)
        >>> b = np.zeros(8, "float32")
        >>> lathe.build(func, target="llvm")(np.arange(8, dtype="float32"), b)
        >>> b.tolist()
        [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
    """

def auto_inline_broadcast(s: Any) -> tuple[Stage, ...]:
    """Inlines broadcast and elementwise stages, found by their tags; returns them.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((4, 8), lambda i, j: A[j], name="B", tag="broadcast")
        >>> C = te.compute((4, 8), lambda i, j: B[i, j] * 2.0, name="C", tag="elemwise")
        >>> [stage.name for stage in te.schedule.auto_inline_broadcast(te.create_schedule(C.op))]
        ['B']
    """

def auto_inline_elemwise(s: Any) -> tuple[Stage, ...]:
    """Inlines elementwise stages, found by their tags; returns them.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B", tag="elemwise")
        >>> C = te.compute((8,), lambda i: B[i] * 2.0, name="C", tag="elemwise")
        >>> [stage.name for stage in te.schedule.auto_inline_elemwise(te.create_schedule(C.op))]
        ['B']
    """

def auto_inline_injective(s: Any) -> tuple[Stage, ...]:
    """Inlines injective stages, found by their tags; returns them.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((4, 8), name="A")
        >>> B = te.compute((8, 4), lambda i, j: A[j, i], name="B", tag="injective")
        >>> C = te.compute((8, 4), lambda i, j: B[i, j] * 2.0, name="C", tag="elemwise")
        >>> [stage.name for stage in te.schedule.auto_inline_injective(te.create_schedule(C.op))]
        ['B']
    """

def create_read_graph(outputs: Any) -> Any:
    """{operation: the tensors it reads}, in post order.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> s = te.create_schedule(B.op)
        >>> [t.name for t in te.schedule.create_read_graph(B)[B.op]]
        ['A']
    """

def create_schedule(ops: Any) -> Schedule:
    """Makes a schedule: a stage for each operation that `ops` need.

    Args:
        ops: an operation (`C.op`), a tensor, or a list of them.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> len(te.create_schedule(B.op).stages)
        2
    """

def infer_bound(s: Any) -> dict[_ir.IterVar, _ir.Range]:
    """The range that each axis of each stage must cover: {axis: Range}.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> s = te.create_schedule(B.op)
        >>> bounds = te.schedule.infer_bound(s)
        >>> int(bounds[B.op.axis[0]].extent)
        8
    """

def output_ops(items: Any) -> Any:
    """The operations to make a schedule for. Raises an error if there is none."""

def post_dfs_order(outputs: Any) -> Any:
    """The operations that `outputs` need; each follows the operations that it reads.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> s = te.create_schedule(B.op)
        >>> [op.name for op in te.schedule.post_dfs_order(B)]
        ['A', 'B']
    """

def readers(s: Any, tensor: Any) -> tuple[Stage, ...]:
    """The stages that read a tensor.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> s = te.create_schedule(B.op)
        >>> [stage.name for stage in te.schedule.readers(s, A)]
        ['B']
    """

def schedule_ops(s: Any, bounds: Any = ..., args: Any = ...) -> _ir.Stmt:
    """The loop nest of a schedule, before any pass: a statement.

    Args:
        s: the schedule.
        bounds: ignored; they follow from the schedule.
        args: the function's tensors; all inputs and outputs by default.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> s = te.create_schedule(B.op)
        >>> stmt = te.schedule.schedule_ops(s)
    """
