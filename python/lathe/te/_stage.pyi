"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.ir as _ir
from lathe._core import Object as Object
from lathe.error import LatheOSError as LatheOSError
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError

class Group(Object):
    """A group of stages that are attached together.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> C = te.compute((8,), lambda i: B[i] * 2.0, name="C")
        >>> s = te.create_schedule(C.op)
        >>> group = s.create_group(outputs=B, inputs=A)
        >>> [stage.name for stage in group.stages]
        ['B']
    """
    def compute_at(self, parent: Any, scope: Any) -> None: ...
    def compute_root(self) -> None: ...
    @property
    def name(self) -> str:
        """The group's name, unique in the schedule."""

    @property
    def stages(self) -> tuple[Stage, ...]:
        """Its stages."""

    ...

class Stage(Object):
    """How one operation is computed. Axes are IterVars; `op.axis` are the axes at the beginning.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> s = te.create_schedule(B.op)
        >>> outer, inner = s[B].split(B.op.axis[0], factor=4)
        >>> s[B].vectorize(inner)
        >>> [s[B].axis_name(axis) for axis in s[B].leaf_iter_vars]
        ['i.outer', 'i.inner']
    """
    def __eq__(self, other: Any) -> Any: ...  # type: ignore[override]
    def __ne__(self, other: Any) -> Any: ...  # type: ignore[override]
    def __repr__(self) -> str: ...
    @property
    def all_iter_vars(self) -> tuple[_ir.IterVar, ...]:
        """All axes, including those that were split or fused."""

    @property
    def attach_ivar(self) -> Any:
        """The axis at which it is computed, or None."""

    @property
    def attach_stage(self) -> Stage | None:
        """The stage within which it is computed, or None."""

    @property
    def attach_type(self) -> str:
        """"root", "inline", "scope" (within another stage's loop) or "scan"."""

    def axis_name(self, axis: Any) -> str: ...
    def bind(self, ivar: _ir.IterVar, thread_ivar: _ir.IterVar) -> None: ...
    def compute_at(self, parent: Stage, scope: _ir.IterVar) -> None: ...
    def compute_inline(self) -> None: ...
    def compute_root(self) -> None: ...
    def double_buffer(self) -> None: ...
    def env_threads(self, threads: Any) -> None: ...
    def fuse(self, *axes: _ir.IterVar | list[_ir.IterVar] | tuple[_ir.IterVar, ...]) -> _ir.IterVar: ...
    @property
    def is_output(self) -> bool:
        """Is it one of the schedule's outputs?"""

    @property
    def leaf_iter_vars(self) -> tuple[_ir.IterVar, ...]:
        """The present loops, outermost first."""

    @property
    def name(self) -> str:
        """The stage's name, unique in the schedule."""

    @property
    def op(self) -> Any:
        """The operation, as the primitives rewrote it."""

    @property
    def origin_op(self) -> Any:
        """The operation, as the user made it."""

    def parallel(self, var: _ir.IterVar) -> None: ...
    def pipeline(self, axis: _ir.IterVar, stages: int, asynchronous: Any = ...) -> None: ...
    def pragma(self, var: _ir.IterVar, pragma_type: str, pragma_value: Any = ...) -> None: ...
    def prefetch(self, tensor: Any, var: Any, offset: Any) -> None: ...
    def reorder(self, *axes: _ir.IterVar) -> None: ...
    def rolling_buffer(self) -> None: ...
    @property
    def scope(self) -> str:
        """The memory scope of its outputs; "": chosen by the threads that use them."""

    def set_scope(self, scope: str) -> None: ...
    def set_store_predicate(self, predicate: Any) -> None: ...
    def split(self, parent: _ir.IterVar, factor: Any = ..., nparts: Any = ...) -> tuple[_ir.IterVar, _ir.IterVar]: ...
    def storage_align(self, axis: _ir.IterVar, factor: int, offset: int) -> None: ...
    def tensorize(self, var: _ir.IterVar, tensor_intrin: Any, target: Any = ...) -> None: ...
    def tile(self, x_parent: _ir.IterVar, y_parent: _ir.IterVar, x_factor: int, y_factor: int) -> tuple[_ir.IterVar, _ir.IterVar, _ir.IterVar, _ir.IterVar]: ...
    def unroll(self, var: _ir.IterVar) -> None: ...
    def vectorize(self, var: _ir.IterVar) -> None: ...
    ...
