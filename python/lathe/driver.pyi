"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError
from lathe.transform import PassContext as PassContext
from lathe.te.schedule import Schedule as Schedule
from lathe.target import Target as Target

class Explanation:
    """What a schedule makes of a program, stage by stage: text for terminals, a page for
    notebooks.
    """
    def __repr__(self) -> str: ...
    def __str__(self) -> str: ...
    @property
    def html(self) -> Any:
        """A page that needs nothing else (str)."""

    def save(self, path: Any) -> Any: ...
    def __init__(self, make: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

OLDEST_CUDA: Any

def build(inputs: Any, args: Any = ..., target: Any = ..., target_host: Any = ..., name: Any = ..., binds: Any = ...) -> Any:
    """Compiles a schedule, function or module into this process.

    Args:
        inputs: Schedule, or what `lower` gave.
        args: as for `lower`, where `inputs` is a schedule.
        target: text, dict or Target; the current one, else "llvm", by default.
        target_host: the target of the code that launches kernels.
        name: of the function.

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
    """

def compile_to(inputs: Any, output: Any, args: Any = ..., target: Any = ..., name: Any = ...) -> Any:
    """What the target's code generator makes of a program, as bytes.

    Args:
        inputs, args, name: as for `build`.
        output: "object", "assembly", "ir" or "source".
        target: text or Target.
    """

def explain(schedule: Any, args: Any = ..., name: Any = ..., sizes: Any = ...) -> Any:
    """What a schedule makes of a program: places, regions, buffers, iterations, traffic, guards.

    Args:
        schedule: a Schedule.
        args: as for `lower`; all inputs and outputs by default.
        sizes: {name: int} of symbolic extents.

    Returns:
        An Explanation.
    """

def lower(inputs: Any, args: Any = ..., name: Any = ..., binds: Any = ..., simple_mode: Any = ...) -> Any:
    """A schedule as loops: what it makes of the program, readable.

    Args:
        inputs: a Schedule; a function or module is returned as a module.
        args: tensors and variables in calling order, outputs among them.
        name: of the function.
        simple_mode: the loop nest of the schedule alone, before any pass.

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
