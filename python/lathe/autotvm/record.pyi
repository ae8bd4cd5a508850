"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.autotvm.task.space import ConfigEntity as ConfigEntity
from lathe.error import LatheValueError as LatheValueError
from lathe.autotvm.measure import MeasureError as MeasureError
from lathe.autotvm.measure import MeasureErrorNo as MeasureErrorNo
from lathe.autotvm.measure import MeasureInput as MeasureInput
from lathe.autotvm.measure import MeasureResult as MeasureResult
from lathe.target import Target as Target
from lathe.autotvm.task.task import Task as Task
from lathe.autotvm.measure import failure_number as failure_number
from lathe.autotvm.task.task import serialize_args as serialize_args

__version__: Any

def decode(row: Any, protocol: Any = ...) -> Any:
    """(MeasureInput, MeasureResult) of a line of a log.

    Raises:
        LatheError: `tune-log-invalid`: what was expected, and what was found.

    Example:
        >>> import lathe
        >>> from lathe import autotvm
        >>> config = autotvm.task.ConfigEntity(0, None, {}, [])
        >>> given = autotvm.MeasureInput(lathe.Target("llvm"), autotvm.task.Task("t", (1,)), config)
        >>> line = autotvm.record.encode(given, autotvm.MeasureResult((0.5,), 0, 1.0, 0.0))
        >>> autotvm.record.decode(line)[0].task.workload
        ('t', 1)
    """

def encode(inp: Any, result: Any, protocol: Any = ...) -> Any:
    """A line of a log for a trial, without a line end.

    Example:
        >>> from lathe import autotvm
        >>> config = autotvm.task.ConfigEntity(0, None, {}, [])
        >>> given = autotvm.MeasureInput("llvm", autotvm.task.Task("t", (1,)), config)
        >>> line = autotvm.record.encode(given, autotvm.MeasureResult((0.5,), 0, 1.0, 0.0))
        >>> autotvm.record.decode(line)[1].costs
        (0.5,)
    """

def load_from_file(filename: Any) -> Any:
    """The trials of a log: (MeasureInput, MeasureResult) of each line.

    Lines that are no records are left out, and named in a warning (logging, "autotvm").

    Args:
        filename: a path, or an open file.

    Raises:
        LatheError: `tune-log-unreadable`.

    Example:
        >>> import io, lathe
        >>> from lathe import autotvm
        >>> config = autotvm.task.ConfigEntity(0, None, {}, [])
        >>> given = autotvm.MeasureInput(lathe.Target("llvm"), autotvm.task.Task("t", (1,)), config)
        >>> line = autotvm.record.encode(given, autotvm.MeasureResult((0.5,), 0, 1.0, 0.0))
        >>> len(list(autotvm.record.load_from_file(io.StringIO(line))))
        1
    """

logger: Any

def measure_str_key(inp: Any, include_config: Any = ...) -> Any:
    """A text that identifies what is measured.

    Example:
        >>> from lathe import autotvm
        >>> given = autotvm.MeasureInput("llvm", autotvm.task.Task("t", (1,)), None)
        >>> autotvm.record.measure_str_key(given, include_config=False)
        "llvm('t', 1)"
    """

def pick_best(in_file: Any, out_file: Any) -> Any:
    """Writes the best trial of each workload of a log into another log.

    Args:
        in_file: a path or an open file.
        out_file: a path or an open file; `in_file` itself is allowed.

    Example:
        >>> import io, lathe
        >>> from lathe import autotvm
        >>> config = autotvm.task.ConfigEntity(0, None, {}, [])
        >>> given = autotvm.MeasureInput(lathe.Target("llvm"), autotvm.task.Task("t", (1,)), config)
        >>> lines = [autotvm.record.encode(given, autotvm.MeasureResult((cost,), 0, 1.0, 0.0))
        ...          for cost in (0.5, 0.25)]
        >>> best = io.StringIO()
        >>> autotvm.record.pick_best(io.StringIO("\\n".join(lines)), best)
        >>> autotvm.record.decode(best.getvalue())[1].costs
        (0.25,)
    """

def split_workload(in_file: Any, clean: Any = ...) -> Any:
    """Writes a log for each workload of a log, beside it: `LOG.001.log`, `LOG.002.log`, ...

    Args:
        clean: only the best trial of each configuration.

    Example:
        >>> import os, tempfile
        >>> from lathe import autotvm
        >>> with tempfile.NamedTemporaryFile(suffix=".log") as empty:
        ...     autotvm.record.split_workload(empty.name)
    """
