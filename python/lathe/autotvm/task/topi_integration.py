"""Templates in two parts: a function that computes, and one that makes the schedule of its outputs."""

import collections
import functools
import threading

from ... import _nodes
from ...error import LatheError
from ...target import Target
from . import task as _task
from .dispatcher import DispatchContext

_parts = collections.defaultdict(dict)  # name of a template -> {"compute": function, "schedule": ...}
# Which workload an operation was computed for: the newest of each thread.
_computed = threading.local()
_KEPT = 256


def _tensors(outs):
    return [outs] if isinstance(outs, _nodes.CLASSES["Tensor"]) else list(outs)


def _part(name, kind):
    try:
        return _parts[name][kind]
    except KeyError:
        raise LatheError(f"the template `{name}` has no {kind}", "tune-template",
                         f"help: @autotvm.register_topi_{kind}(\"{name}\") registers it") from None


def _add(name, kind, func):
    def both(*args):
        config = _task.get_config()
        outs = _tensors(_part(name, "compute")(config, *args))
        schedule = _part(name, "schedule")(config, outs)
        inputs = [one for arg in args for one in (arg if isinstance(arg, (list, tuple)) else [arg])
                  if isinstance(one, _nodes.CLASSES["Tensor"])]
        return schedule, inputs + outs

    _parts[name][kind] = func
    _task._templates[name] = both


def _remember(outs, name, workload):
    kept = _computed.__dict__.setdefault("of", collections.OrderedDict())
    for tensor in _tensors(outs):
        kept[name, tensor.op] = workload
    while len(kept) > _KEPT:
        kept.popitem(last=False)


def register_topi_compute(task_name, func=None):
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
    if func is None:
        return functools.partial(register_topi_compute, task_name)

    @functools.wraps(func)
    def called(*args):
        workload = _task.args_to_workload(args, task_name)
        outs = func(DispatchContext.current.query(Target.current(), workload), *args)
        _remember(outs, task_name, workload)
        return outs

    _add(task_name, "compute", func)
    return called


def register_topi_schedule(task_name, func=None):
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
    if func is None:
        return functools.partial(register_topi_schedule, task_name)

    @functools.wraps(func)
    def called(outs, *args):
        outs = _tensors(outs)
        workload = get_workload(outs, task_name)
        if workload is None:
            raise LatheError(f"nothing in these outputs was computed by `{task_name}`", "tune-template",
                             f"expected: outputs of the function that @autotvm.register_topi_compute("
                             f"\"{task_name}\") made, in the same thread")
        return func(DispatchContext.current.query(Target.current(), workload), outs, *args)

    _add(task_name, "schedule", func)
    return called


def get_workload(outs, task_name=None):
    """The workload for which outputs, or what they are computed from, were made; None if none was.

    Args:
        task_name: only of this template.

    Example:
        >>> from lathe import autotvm, te
        >>> A = te.placeholder((8,), name="A")
        >>> autotvm.task.get_workload([A]) is None
        True
    """
    kept = getattr(_computed, "of", {})
    names = {name for name, _ in kept} if task_name is None else {task_name}
    stack, seen = [tensor.op for tensor in _tensors(outs)], set()
    while stack:
        op = stack.pop()
        if op in seen:
            continue
        seen.add(op)
        for name in names:
            if (name, op) in kept:
                return kept[name, op]
        stack += [tensor.op for tensor in op.input_tensors]
    return None
