"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.autotvm.task.space import AnnotateEntity as AnnotateEntity
from lathe.autotvm.task.space import OtherOptionEntity as OtherOptionEntity
from lathe.autotvm.task.space import ReorderEntity as ReorderEntity
from lathe.autotvm.task.space import SplitEntity as SplitEntity
from lathe.driver import explain as explain

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
