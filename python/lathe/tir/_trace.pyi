"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError
from lathe.runtime.packed_func import get_global_func as get_global_func
from lathe.runtime.packed_func import register_func as register_func

DEFAULT_ACTION: Any

def trace(args: Any, trace_action: Any = ...) -> Any:
    """The last of some values; when it is computed, a function of the registry is called with all of them.

    The code runs in this process: the function is looked up when it is called.

    Args:
        args: expressions, buffers and texts; the last is an expression, whose value is the result.
        trace_action: the function's name; what it returns is ignored. By default, one that prints a
            list of its arguments.

    Returns:
        An expression of the type of the last argument.

    Raises:
        LatheValueError: `trace-arguments`: there are none, or the last is no expression.

    Example:
        >>> import lathe, numpy as np
        >>> from lathe import te, tir
        >>> A = te.placeholder((2,), name="A")
        >>> B = te.compute((2,), lambda i: tir.trace(["element", i, A[i]]) + 1.0, name="B")
        >>> f, b = lathe.build(te.create_schedule(B.op), [A, B], "llvm"), np.zeros(2, "float32")
        >>> f(np.array([3, 4], "float32"), b)
        ['element', 0, 3.0]
        ['element', 1, 4.0]
        >>> b.tolist()
        [4.0, 5.0]
    """
