"""Templates, and tasks: a template with arguments for a target."""

import functools
import json

from ... import _ffi, _nodes
from ...error import LatheError, LatheTypeError, LatheValueError
from ...target import Target
from .dispatcher import ApplyConfig, DispatchContext
from .space import ConfigSpace, InstantiationError

_get = _ffi.get
_templates = {}


def serialize_args(args):
    """Arguments as tuples that can be keys: a tensor becomes ("TENSOR", shape, dtype).

    Example:
        >>> from lathe import autotvm, te
        >>> autotvm.task.serialize_args([te.placeholder((2, 3), name="A"), [1, 1], "int8"])
        (('TENSOR', (2, 3), 'float32'), (1, 1), 'int8')
    """
    def plain(item):
        if isinstance(item, _nodes.CLASSES["Tensor"]):
            return ("TENSOR", tuple(plain(extent) for extent in item.shape), str(item.dtype))
        if isinstance(item, (list, tuple)):
            return tuple(plain(one) for one in item)
        value = getattr(item, "value", item)  # a constant expression
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        raise LatheTypeError("an argument of a template cannot stand in a log", "tune-task-argument",
                             "expected: numbers, text, bool, None, tensors and lists of these\n"
                             f"found: {item!r}")

    return tuple(plain(item) for item in args)


def deserialize_args(args):
    """The opposite of `serialize_args`: ("TENSOR", shape, dtype) becomes a placeholder.

    Example:
        >>> from lathe import autotvm
        >>> tensor, number = autotvm.task.deserialize_args([("TENSOR", (2, 3), "int8"), 1])
        >>> tensor.dtype, number
        ('int8', 1)
    """
    from ... import te

    def made(item):
        if isinstance(item, (list, tuple)):
            if len(item) == 3 and item[0] == "TENSOR":
                return te.placeholder(tuple(item[1]), dtype=item[2])
            return tuple(made(one) for one in item)
        return item

    return [made(item) for item in args]


def args_to_workload(args, task_name=None):
    """The key of a task: its name and `serialize_args(args)`, in one tuple.

    Example:
        >>> from lathe import autotvm
        >>> autotvm.task.args_to_workload([512, "float32"], "matmul")
        ('matmul', 512, 'float32')
    """
    return (() if task_name is None else (task_name,)) + serialize_args(args)


class Task:
    """A template with arguments for a target, made by `create`.

    Attributes:
        name: the template's.
        args: of the template.
        target, target_host: what it is tuned for.
        config_space: what may be chosen.
        flop: operations that the program does; 0 if nobody knows them.
        first: the configuration with which a search begins, or None: the tuner's choice.

    Example:
        >>> from lathe import autotvm
        >>> autotvm.task.Task("nobody", (1, 2)).workload
        ('nobody', 1, 2)
    """

    def __init__(self, name, args, target=None, target_host=None):
        self.name = name
        self.args = tuple(args)
        self.kwargs = {}
        self.target = target
        self.target_host = target_host
        self.config_space = None
        self.flop = 0
        self.first = None

    @property
    def func(self):
        """The template's function."""
        return _template(self.name)

    @property
    def workload(self):
        """What identifies the task in logs."""
        return args_to_workload(self.args, self.name)

    def for_measuring(self, config):
        """What is compiled to measure a configuration: `instantiate`'s schedule and arguments."""
        return self.instantiate(config)

    def instantiate(self, config):
        """The schedule of a configuration, and the function's arguments.

        Raises:
            InstantiationError: the template called `raise_error`.
        """
        config.flop = 0
        del config.errors[:]
        with self.target, ApplyConfig(config):
            schedule, arguments = self.func(*deserialize_args(serialize_args(self.args)))
        if not config.valid():
            raise InstantiationError("\n".join(config.errors), "tune-configuration")
        self.flop = config.flop or self.flop or compute_flop(schedule, arguments)
        return schedule, arguments

    def __repr__(self):
        return f"Task(func_name={self.name}, args={self.args}, target={self.target})"


def compute_flop(sch, args=None):
    """The operations of numbers that a schedule's program does; see `tune/operations.h`.

    Example:
        >>> from lathe import autotvm, te
        >>> A = te.placeholder((8, 8), name="A")
        >>> B = te.compute((8, 8), lambda i, j: A[i, j] * 2.0 + 1.0, name="B")
        >>> autotvm.task.compute_flop(te.create_schedule(B.op))
        128
    """
    return _get("tune.count_operations")(list(sch.outputs))


def _template(name):
    try:
        return _templates[name]
    except KeyError:
        raise LatheError(f"there is no template `{name}`", "tune-template",
                         f"expected: {', '.join(sorted(_templates)) or 'one that was registered'}\n"
                         "help: @autotvm.template(NAME) registers a function") from None


def template(task_name, func=None):
    """Registers a function as a template: it returns a schedule and its arguments.

    The function asks `get_config()` for its configuration, defines the knobs, and uses them. It may
    also be called itself: then the configuration is the best one of the log that is applied
    (`apply_history_best`), else the fallback.

    Args:
        task_name: the name in logs, and for `task.create`.

    Example:
        >>> import lathe
        >>> from lathe import autotvm, te
        >>> @autotvm.template("docs/double")
        ... def double(n):
        ...     A = te.placeholder((n,), name="A")
        ...     B = te.compute((n,), lambda i: A[i] * 2.0, name="B")
        ...     s = te.create_schedule(B.op)
        ...     cfg = autotvm.get_config()
        ...     cfg.define_split("tile", s[B].op.axis[0], num_outputs=2)
        ...     outer, inner = cfg["tile"].apply(s, B, s[B].op.axis[0])
        ...     s[B].vectorize(inner)
        ...     return s, [A, B]
        >>> len(autotvm.task.create("docs/double", (64,), "llvm").config_space)
        7
    """
    if func is None:
        return functools.partial(template, task_name)

    @functools.wraps(func)
    def called(*args):
        config = DispatchContext.current.query(Target.current(), args_to_workload(args, task_name))
        with ApplyConfig(config):
            return func(*args)

    _templates[task_name] = func
    called.name = task_name
    return called


def get_config():
    """The configuration of the template that runs: what it chooses from, or what was chosen.

    Example:
        >>> from lathe import autotvm
        >>> with autotvm.task.ApplyConfig(autotvm.ConfigSpace()):
        ...     autotvm.get_config().define_knob("unroll", [0, 1])
        []
    """
    return DispatchContext.current.query(Target.current(), None)


def create(task_name, args, target, target_host=None):
    """A task: the template is run once, which defines its space.

    Args:
        task_name: of a template.
        args: its arguments.
        target: text, dict or Target.

    Raises:
        LatheError: `tune-template`: there is none of that name; and what the template raises.

    Example:
        >>> import lathe
        >>> from lathe import autotvm, te
        >>> @autotvm.template("docs/copy")
        ... def copy(n):
        ...     A = te.placeholder((n,), name="A")
        ...     B = te.compute((n,), lambda i: A[i], name="B")
        ...     s = te.create_schedule(B.op)
        ...     autotvm.get_config().define_knob("nothing", [1, 2, 3])
        ...     return s, [A, B]
        >>> autotvm.task.create("docs/copy", args=(8,), target="llvm").config_space.dims
        [3]
    """
    if not isinstance(task_name, str):
        task_name = getattr(task_name, "name", task_name)
    target = Target(target, target_host)
    task = Task(task_name, args, target, target_host)
    task.config_space = ConfigSpace()
    task.instantiate(task.config_space)
    task.flop = task.config_space.flop or task.flop
    return task
