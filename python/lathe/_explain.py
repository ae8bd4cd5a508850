"""What a schedule does to a program, and which step of the compiler changes its answer."""

import json

from . import _ffi, _places
from .driver import _arguments, _chosen
from .error import LatheTypeError
from .te.schedule import Schedule
from .transform import PassContext

_get = _ffi.get


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

    def __init__(self, make):
        self._make = make

    def __str__(self):
        return self._make("text")

    __repr__ = __str__

    def _repr_html_(self):
        import html

        return f'<iframe style="width:100%;height:40em;border:0" srcdoc="{html.escape(self.html)}">' \
               "</iframe>"

    @property
    def html(self):
        """A self-contained HTML page (str)."""
        return self._make("html")

    @property
    def data(self):
        """What the page shows, for programs (dict): {"name", "sizes", "stages": [...], "loops"}.

        A count is a number, or a text if it depends on symbolic extents.
        """
        return json.loads(self._make("json"))

    def save(self, path):
        """Writes the HTML page to a file."""
        with open(path, "w", encoding="utf-8") as f:
            f.write(self.html)


def explain(schedule, args=None, name="main", sizes=None):
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
    if not isinstance(schedule, Schedule):
        raise LatheTypeError("explain takes a schedule", "explain-input-type",
                             f"found: {type(schedule).__name__}")
    args = list(args) if args is not None else list(_get("schedule.all_arguments")(schedule))
    pairs = [[k, int(v)] for k, v in (sizes or {}).items()]
    explained = _get("driver.explain", True)

    def make(fmt):
        with _places.about(schedule):
            return explained(schedule, args, name, pairs, fmt)

    return Explanation(make)


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

    def __init__(self, steps, what, before, after):
        self.steps = [tuple(step) for step in steps]
        self.what, self.before, self.after = what, before, after
        name, state = self.steps[-1]
        self.culprit = name if state in ("changed", "failed") else None

    def __str__(self):
        lines = [f"{name:<18} {state}" for name, state in self.steps]
        if self.what:
            lines += ["", self.what]
        if self.before:
            lines += ["# before", self.before]
        if self.after:
            lines += ["# after", self.after]
        return "\n".join(lines)

    __repr__ = __str__


def bisect(schedule, args, values, target=None, name="main", tolerance=None, run_code=True):
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
    if not isinstance(schedule, Schedule):
        raise LatheTypeError("bisect takes a schedule", "bisect-input-type",
                             f"found: {type(schedule).__name__}")
    if not isinstance(values, (list, tuple)):
        raise LatheTypeError("the values must be a list, one for each argument", "bisect-values-type",
                             f"found: {type(values).__name__}")
    with _places.about(schedule):
        return Bisection(*_get("driver.bisect", True)(
            schedule, _arguments(args), name, list(values), _chosen(target),
            -1.0 if tolerance is None else float(tolerance), bool(run_code),
            PassContext.current().packed()))
