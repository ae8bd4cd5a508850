"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.autotvm.task.space import AnnotateEntity as AnnotateEntity
from lathe.error import LatheValueError as LatheValueError
from lathe.autotvm.task.space import OtherOptionEntity as OtherOptionEntity
from lathe.autotvm.task.space import ReorderEntity as ReorderEntity
from lathe.autotvm.task.space import SplitEntity as SplitEntity
from lathe._explain import explain as explain

class KnobFeatures:
    """Rows of a space's points: what each knob has chosen. Right for one space only.

    Example:
        >>> from lathe import autotvm
        >>> space = autotvm.ConfigSpace()
        >>> _ = space.define_split("tile", 8, num_outputs=2)
        >>> KnobFeatures(space).of_points([[3]]).tolist()
        [[0.0, 3.169925001442312]]
    """
    def of_points(self, points: Any) -> Any: ...
    def __init__(self, space: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

CURVE_LENGTH: Any

FEATURE_TYPES: Any

ITERVAR_LENGTH: Any

def check_touches(touches: Any, name: Any = ...) -> Any:
    """Returns `touches` if it is a number of tensors that rows may have columns for.

    Raises:
        LatheValueError: `auto-scheduler-features`: it is none; `name` is what the caller calls it.

    Example:
        >>> check_touches(5)
        5
    """

def curve_row(schedule: Any, arguments: Any) -> Any:
    """How much memory so many iterations touch, and how often it is fetched: a curve for each stage.

    It depends less on how many loops there are than `itervar_row`.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> len(curve_row(te.create_schedule(B.op), [A, B])) == CURVE_LENGTH
        True
    """

def itervar_row(schedule: Any, arguments: Any) -> Any:
    """What the loops of a schedule are and what they touch: extents, kinds, bytes, reuse.

    The numbers are those of `lathe.explain`. Rows of different programs have the same length, so
    that a model can learn from one program for another.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> len(itervar_row(te.create_schedule(B.op), [A, B])) == ITERVAR_LENGTH
        True
    """

def stage_names(touches: Any = ...) -> Any:
    """What the numbers of a stage's row are; loop0 is the innermost one.

    Example:
        >>> stage_names()[:2]
        ['log2_executions', 'log2_iterations']
    """

def stage_row(stage: Any, touches: Any = ...) -> Any:
    """A row of a stage as `lathe.explain` has it; `stage_names` says what its numbers are.

    Args:
        touches: of each loop the tensors of which most bytes are touched, so many of them.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> len(stage_rows(te.create_schedule(B.op), [A, B])[0]) == len(stage_names())
        True
    """

def stage_rows(schedule: Any, arguments: Any, touches: Any = ...) -> Any:
    """An array with a row for each stage that computes, those with the most iterations first.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> len(stage_rows(te.create_schedule(B.op), [A, B]))
        1
    """
