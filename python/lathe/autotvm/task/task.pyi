"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.autotvm.task.dispatcher import ApplyConfig as ApplyConfig
from lathe.autotvm.task.space import ConfigSpace as ConfigSpace
from lathe.autotvm.task.dispatcher import DispatchContext as DispatchContext
from lathe.autotvm.task.space import InstantiationError as InstantiationError
from lathe.error import LatheError as LatheError
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError
from lathe.target import Target as Target

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
    def __repr__(self) -> str: ...
    def for_measuring(self, config: Any) -> Any: ...
    @property
    def func(self) -> Any:
        """The template's function."""

    def instantiate(self, config: Any) -> Any: ...
    @property
    def workload(self) -> Any:
        """What identifies the task in logs."""

    def __init__(self, name: Any, args: Any, target: Any = ..., target_host: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def args_to_workload(args: Any, task_name: Any = ...) -> Any:
    """The key of a task: its name and `serialize_args(args)`, in one tuple.

    Example:
        >>> from lathe import autotvm
        >>> autotvm.task.args_to_workload([512, "float32"], "matmul")
        ('matmul', 512, 'float32')
    """

def compute_flop(sch: Any, args: Any = ...) -> Any:
    """The operations of numbers that a schedule's program does; see `tune/operations.h`.

    Example:
        >>> from lathe import autotvm, te
        >>> A = te.placeholder((8, 8), name="A")
        >>> B = te.compute((8, 8), lambda i, j: A[i, j] * 2.0 + 1.0, name="B")
        >>> autotvm.task.compute_flop(te.create_schedule(B.op))
        128
    """

def create(task_name: Any, args: Any, target: Any, target_host: Any = ...) -> Any:
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

def deserialize_args(args: Any) -> Any:
    """The opposite of `serialize_args`: ("TENSOR", shape, dtype) becomes a placeholder.

    Example:
        >>> from lathe import autotvm
        >>> tensor, number = autotvm.task.deserialize_args([("TENSOR", (2, 3), "int8"), 1])
        >>> tensor.dtype, number
        ('int8', 1)
    """

def get_config() -> Any:
    """The configuration of the template that runs: what it chooses from, or what was chosen.

    Example:
        >>> from lathe import autotvm
        >>> with autotvm.task.ApplyConfig(autotvm.ConfigSpace()):
        ...     autotvm.get_config().define_knob("unroll", [0, 1])
        []
    """

def serialize_args(args: Any) -> Any:
    """Arguments as tuples that can be keys: a tensor becomes ("TENSOR", shape, dtype).

    Example:
        >>> from lathe import autotvm, te
        >>> autotvm.task.serialize_args([te.placeholder((2, 3), name="A"), [1, 1], "int8"])
        (('TENSOR', (2, 3), 'float32'), (1, 1), 'int8')
    """

def template(task_name: Any, func: Any = ...) -> Any:
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
