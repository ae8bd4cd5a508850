"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.te.schedule as _schedule
from lathe.error import LatheTypeError as LatheTypeError
from lathe.transform import PassContext as PassContext
from lathe.te.schedule import Schedule as Schedule

class Bisection:
    """The result of `bisect`: the step of the compiler that changed an answer.

    Attributes:
        steps: [(step, state)]. Steps are "definition", "schedule", the passes, "code". States are
            "computed", "unchanged", "same", "changed" and "failed".
        culprit: the step that changed the answer, or None.
        what: how the answer differs, such as "C[3] is 11, expected 12; 5 of 64 elements differ".
        before, after: texts of the smallest statement that the step changed.

    Example:
        >>> import lathe
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> s = te.create_schedule(B.op)
        >>> import numpy as np
        >>> found = lathe.bisect(s, [A, B], [np.ones(8, "float32"), np.zeros(8, "float32")])
        >>> found.steps[0]
        ('definition', 'computed')
    """
    def __repr__(self) -> str: ...
    def __str__(self) -> str: ...
    def __init__(self, steps: Any, what: Any, before: Any, after: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class Explanation:
    """What a schedule does to a program, stage by stage: a text, and a page for notebooks.

    Example:
        >>> import lathe
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> s = te.create_schedule(B.op)
        >>> "B" in str(lathe.explain(s)), lathe.explain(s).html.startswith("<!")
        (True, True)
    """
    def __repr__(self) -> str: ...
    def __str__(self) -> str: ...
    @property
    def data(self) -> Any:
        """What the page shows, for programs (dict): {"name", "sizes", "stages": [...], "loops"}.

        A count is a number, or a text if it depends on symbolic extents.
        """

    @property
    def html(self) -> str:
        """A self-contained HTML page (str)."""

    def save(self, path: Any) -> None: ...
    def __init__(self, make: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def bisect(schedule: _schedule.Schedule, args: Any, values: Any, target: Any = ..., name: Any = ..., tolerance: Any = ..., run_code: Any = ...) -> Bisection:
    """Finds the step of the compiler that changes a program's answer, if there is one.

    It computes the program from its definition, then interprets the loops of its schedule, then the
    result of each pass, and at last runs the compiled code. Each run gets copies of the same
    values. Interpreting is slow: use the smallest arguments that show the mistake.

    Args:
        schedule: a Schedule.
        args: as for `lower`.
        values: an array, Tensor or number for each of `args`, outputs included.
        target: text, dict or Target; by default the current target, else this processor's.
        tolerance: elements differ if they are further apart than this times the largest magnitude;
            None: a value for the element type.
        run_code: also compare the result of the compiled code.

    Returns:
        A Bisection.

    Raises:
        LatheError: computing the definition failed. Then the program itself is wrong.

    Example:
        >>> import lathe, numpy as np
        >>> from lathe import te
        >>> A = te.placeholder((4,), name="A")
        >>> B = te.compute((4,), lambda i: A[i] + 1.0, name="B")
        >>> s = te.create_schedule(B.op)
        >>> lathe.bisect(s, [A, B], [np.ones(4, "float32"), np.zeros(4, "float32")]).culprit
    """

def explain(schedule: _schedule.Schedule, args: Any = ..., name: Any = ..., sizes: Any = ...) -> Explanation:
    """Explains a schedule's effect: places, regions, buffers, iterations, traffic, guards.

    Args:
        schedule: a Schedule.
        args: as for `lower`; all inputs and outputs by default.
        sizes: {name: int}, values of symbolic extents.

    Returns:
        An Explanation.

    Example:
        >>> import lathe
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> s = te.create_schedule(B.op)
        >>> explained = str(lathe.explain(s, [A, B]))
        >>> "B" in explained
        True
    """
