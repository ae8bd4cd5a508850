"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.ir as _ir
import lathe.runtime.module as _runtime
import lathe.te.schedule as _schedule
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError
from lathe.transform import PassContext as PassContext
from lathe.te.schedule import Schedule as Schedule
from lathe.target import Target as Target
from lathe.te.schedule import output_ops as output_ops

class Bisection:
    """Which step of the compiler changed an answer: what `bisect` found.

    Attributes:
        steps: [(step, state)]: "definition", "schedule", the passes, "code"; states are "computed",
            "unchanged", "same", "changed" and "failed".
        culprit: the step that changed the answer, or None.
        what: how the answer differs, such as "C[3] is 11, expected 12; 5 of 64 elements differ".
        before, after: the smallest statement that the step changed, as texts.

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
    """What a schedule makes of a program, stage by stage: text for terminals, a page for
    notebooks.

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
    def html(self) -> str:
        """A page that needs nothing else (str)."""

    def save(self, path: Any) -> None: ...
    def __init__(self, make: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

OLDEST_CUDA: Any

def bisect(schedule: _schedule.Schedule, args: Any, values: Any, target: Any = ..., name: Any = ..., tolerance: Any = ..., run_code: Any = ...) -> Bisection:
    """Finds the step of the compiler that changes a program's answer, if any does.

    The program is computed from its definition, then the loops of its schedule are interpreted, then
    what each pass makes of them, and at last the compiled code runs: all on copies of the same
    values. Interpreting is slow: take the smallest arguments that show the mistake.

    Args:
        schedule: a Schedule.
        args: as for `lower`.
        values: an array, Tensor or number for each of `args`; outputs are given too.
        target: text, dict or Target; the current one, else this processor's, by default.
        tolerance: elements differ where they are further apart than this times the largest
            magnitude; None: by the element type.
        run_code: compare what the compiled code gives, too.

    Returns:
        A Bisection.

    Raises:
        LatheError: computing the definition failed: then the program is at fault.

    Example:
        >>> import lathe, numpy as np
        >>> from lathe import te
        >>> A = te.placeholder((4,), name="A")
        >>> B = te.compute((4,), lambda i: A[i] + 1.0, name="B")
        >>> s = te.create_schedule(B.op)
        >>> lathe.bisect(s, [A, B], [np.ones(4, "float32"), np.zeros(4, "float32")]).culprit
    """

def build(inputs: Any, args: Any = ..., target: Any = ..., target_host: Any = ..., name: str = ..., binds: Any = ..., *, time_limit: Any = ..., isolate: Any = ...) -> _runtime.Module:
    """Compiles a schedule, function or module into this process.

    The functions of a module are compiled at once, on several threads. What was compiled before, by
    any process of this user, comes from the compile cache; LATHE_CACHE=0 does without.

    Args:
        inputs: a Schedule; tensors in calling order, for the default schedule; what `lower` gave.
        args: as for `lower`, where `inputs` is a schedule.
        target: text, dict or Target; the current one, else this processor's, by default.
        target_host: the target of the code that launches kernels.
        name: of the function.
        time_limit: seconds for all of it; what takes longer ends with `compile-time-limit`, as for
            `lower`.
        isolate: True: code generators work in a process of their own. Where they end it, as LLVM
            does where memory runs out, the error is `out-of-memory` or `compile-child-ended`, and
            this process goes on. None: as the PassContext says, which by default does not.

    Returns:
        A runtime.Module; `module(a, b)` calls its entry function with tensors or arrays.

    Raises:
        LatheError: what is wrong with program, schedule or target.

    Example:
        >>> import lathe, numpy as np
        >>> from lathe import te
        >>> A = te.placeholder((4,), name="A")
        >>> B = te.compute((4,), lambda i: A[i] + 1.0, name="B")
        >>> f = lathe.build(te.create_schedule(B.op), [A, B], "llvm")
        >>> out = np.zeros(4, "float32")
        >>> f(np.arange(4, dtype="float32"), out)
        >>> out.tolist()
        [1.0, 2.0, 3.0, 4.0]
        >>> f = lathe.build([A, B])    # without a schedule: the default one
    """

def compile_to(inputs: Any, output: Any, args: Any = ..., target: Any = ..., name: Any = ..., *, time_limit: Any = ..., isolate: Any = ...) -> bytes:
    """What the target's code generator makes of a program, as bytes.

    Args:
        inputs, args, name, time_limit, isolate: as for `build`.
        output: "object", "assembly", "ir" or "source".
        target: text, dict or Target; the current one, else this processor's, by default.

    Example:
        >>> import lathe
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> s = te.create_schedule(B.op)
        >>> len(lathe.driver.compile_to(s, "object", [A, B])) > 0
        True
    """

def default_schedule(ops: Any, target: Any = ..., config: Any = ...) -> _schedule.Schedule:
    """The schedule that a program gets where nobody wrote one; its steps are in `.trace`.

    For processors: cheap maps are inlined, reductions run in vectors, products and convolutions in
    register tiles, large loops on all threads. For targets with threads of their own it is the
    plain one of `te.create_schedule`. `lathe.topi.schedule` says beside it which operators were
    found and which choices there are.

    Args:
        ops: an operation (`C.op`), a tensor, or a list of them.
        target: text, dict or Target; the current one, else this processor's, by default.
        config: knobs by name, `{"gemm.tile_rows": 6}`, as `lathe.topi.schedule` takes them.

    Returns:
        A Schedule, which more primitives may go on with.

    Example:
        >>> import lathe
        >>> from lathe import te
        >>> A = te.placeholder((64, 4096), name="A")
        >>> B = te.compute((64, 4096), lambda i, j: A[i, j] + 1.0, name="B")
        >>> "vectorize" in str(lathe.default_schedule(B).trace)
        True
    """

def explain(schedule: _schedule.Schedule, args: Any = ..., name: Any = ..., sizes: Any = ...) -> Explanation:
    """What a schedule makes of a program: places, regions, buffers, iterations, traffic, guards.

    Args:
        schedule: a Schedule.
        args: as for `lower`; all inputs and outputs by default.
        sizes: {name: int} of symbolic extents.

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

def lower(inp: Any, args: Any = ..., name: str = ..., binds: Any = ..., simple_mode: Any = ..., *, time_limit: Any = ...) -> _ir.Module:
    """A schedule as loops: what it makes of the program, readable.

    Args:
        inp: a Schedule; tensors and variables in calling order, outputs among them, for the
            default schedule (`default_schedule`); a function or module is returned as a module.
        args: tensors and variables in calling order, outputs among them, where `inp` is a schedule.
        name: of the function.
        simple_mode: the loop nest of the schedule alone, before any pass.
        time_limit: seconds; what takes longer ends with `compile-time-limit`. 0: as long as it
            takes, which is the default; the context (`transform.PassContext`) may say another.

    Returns:
        A Module. `print` shows its text, notebooks show it in colours.

    Raises:
        LatheError: what is wrong with the schedule, with the axes and stages concerned.

    Example:
        >>> import lathe
        >>> from lathe import te
        >>> A = te.placeholder((4,), name="A")
        >>> B = te.compute((4,), lambda i: A[i] * 2.0, name="B")
        >>> text = str(lathe.lower(te.create_schedule(B.op), [A, B]))
    """

def workload_key(args: Any, target: Any = ...) -> str:
    """What the program behind `args` is known by, whatever its names are.

    Programs have one key for a target where they differ in the names of tensors, axes, variables and buffers alone,
    or in the order in which their operations were made. Schedules play no part.

    Args:
        args: the function's arguments, as for `lathe.lower`: tensors, and variables that are sizes.
        target: text, dict or Target; the current one, else this processor's, by default.

    Returns:
        32 hexadecimal digits.

    Example:
        >>> import lathe
        >>> from lathe import te
        >>> def double(name):
        ...     A = te.placeholder((64,), name=name)
        ...     return [A, te.compute((64,), lambda i: A[i] * 2.0, name="twice_" + name)]
        >>> lathe.workload_key(double("x")) == lathe.workload_key(double("data"))
        True
    """
