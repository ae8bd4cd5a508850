"""Values that compiled code shows while it runs."""

from .. import _ffi
from ..error import LatheValueError
from ..runtime.packed_func import get_global_func, register_func

_get = _ffi.get
_RUN = "lathe.trace"
DEFAULT_ACTION = "tvm.default_trace_action"


def trace(args, trace_action=DEFAULT_ACTION):
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
    args = list(args)
    last = _get("tir.convert")(args[-1]) if args and not isinstance(args[-1], str) else None
    if not hasattr(last, "dtype"):
        raise LatheValueError("a trace must end with the expression that it shows", "trace-arguments",
                              f"found: {args!r}")
    return _get("tir.call")(last.dtype, "call_packed", [_RUN, str(trace_action), *args[:-1], last], {})


def _run(action, *args):
    get_global_func(action)(*args)
    return args[-1]


register_func(_RUN, _run, override=True)
if get_global_func(DEFAULT_ACTION, allow_missing=True) is None:
    register_func(DEFAULT_ACTION, lambda *args: print(list(args)))
