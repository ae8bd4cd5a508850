"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.autotvm.task.dispatcher import DispatchContext as DispatchContext
from lathe.error import LatheError as LatheError
from lathe.target import Target as Target

def get_workload(outs: Any, task_name: Any = ...) -> Any:
    """The workload for which outputs, or what they are computed from, were made; None if none was.

    Args:
        task_name: only of this template.

    Example:
        >>> from lathe import autotvm, te
        >>> A = te.placeholder((8,), name="A")
        >>> autotvm.task.get_workload([A]) is None
        True
    """

def register_topi_compute(task_name: Any, func: Any = ...) -> Any:
    """Registers the computing part of a template: `func(config, *args)` returns its outputs.

    The function that is returned takes the arguments alone: its configuration is the best one of the
    log that is applied (`apply_history_best`), else the fallback. Pass its outputs, or tensors that
    are computed from them, to the schedule of the same name.

    Args:
        task_name: the name in logs, and for `task.create`.

    Example:
        >>> import lathe
        >>> from lathe import autotvm, te
        >>> @autotvm.register_topi_compute("docs/scale")
        ... def scale(cfg, A, factor):
        ...     return te.compute(A.shape, lambda i: A[i] * factor, name="B")
        >>> @autotvm.register_topi_schedule("docs/scale")
        ... def schedule_scale(cfg, outs):
        ...     s = te.create_schedule(outs[0].op)
        ...     cfg.define_split("tile", s[outs[0]].op.axis[0], num_outputs=2)
        ...     outer, inner = cfg["tile"].apply(s, outs[0], s[outs[0]].op.axis[0])
        ...     s[outs[0]].vectorize(inner)
        ...     return s
        >>> task = autotvm.task.create("docs/scale", (te.placeholder((64,), name="A"), 2.0), "llvm")
        >>> len(task.config_space)
        7
        >>> A = te.placeholder((64,), name="A")
        >>> s = schedule_scale([scale(A, 3.0)])
    """

def register_topi_schedule(task_name: Any, func: Any = ...) -> Any:
    """Registers the schedule of a template: `func(config, outs)` returns it for a list of outputs.

    The function that is returned takes the outputs alone, and looks in them for what the computing
    part of that name (`register_topi_compute`) made.

    Raises:
        LatheError: `tune-template`: nothing in the outputs was made by that part in this thread.

    Example:
        >>> from lathe import autotvm, te
        >>> @autotvm.register_topi_schedule("docs/alone")
        ... def schedule_alone(cfg, outs):
        ...     return te.create_schedule(outs[0].op)
        >>> callable(schedule_alone)
        True
    """
