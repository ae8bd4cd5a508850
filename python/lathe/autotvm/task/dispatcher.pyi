"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.autotvm.task.space import ConfigEntity as ConfigEntity
from lathe.autotvm.task.space import FallbackConfigEntity as FallbackConfigEntity
from lathe.error import LatheTypeError as LatheTypeError

class DispatchContext:
    """Base of the contexts: `query(target, workload)` gives a configuration.

    A context that knows none asks the one around it. `with context:` makes it the innermost.

    Example:
        >>> from lathe import autotvm
        >>> autotvm.task.DispatchContext.current.query(None, ("nobody", 1)).is_fallback
        True
    """
    def __enter__(self) -> Any: ...
    def __exit__(self, *_: Any) -> Any: ...
    def query(self, target: Any, workload: Any) -> Any: ...
    def update(self, target: Any, workload: Any, cfg: Any) -> Any: ...
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class ApplyConfig(DispatchContext):
    """One configuration for every template.

    Example:
        >>> from lathe import autotvm
        >>> space = autotvm.ConfigSpace()
        >>> with autotvm.task.ApplyConfig(space):
        ...     autotvm.get_config() is space
        True
    """
    def update(self, target: Any, workload: Any, cfg: Any) -> Any: ...
    def __init__(self, config: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class ApplyFixedConfig(DispatchContext):
    """The configurations of tasks, whatever logs say.

    Args:
        tasks: [(task, configuration)...], or tasks with a `config` of their own.
        schedule_names: for compatibility; not needed.

    Example:
        >>> from lathe import autotvm
        >>> config = autotvm.task.ConfigEntity(0, None, {}, [])
        >>> with autotvm.task.ApplyFixedConfig([(autotvm.task.Task("t", (1,)), config)]):
        ...     autotvm.task.DispatchContext.current.query(None, ("t", 1)) is config
        True
    """
    def update(self, target: Any, workload: Any, cfg: Any) -> Any: ...
    def __init__(self, tasks: Any, schedule_names: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class ApplyHistoryBest(DispatchContext):
    """The best configuration of each workload in records.

    A record is for a target with the same text, else for one of the same model, else for one of the
    same kind.

    Args:
        records: a path of a log, an open file, a list of paths, or [(input, result)...].

    Example:
        >>> from lathe import autotvm
        >>> with autotvm.apply_history_best([]):
        ...     autotvm.task.DispatchContext.current.query(None, ("t", 1)).is_fallback
        True
    """
    def load(self, records: Any) -> Any: ...
    def update(self, target: Any, workload: Any, cfg: Any) -> Any: ...
    def __init__(self, records: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class FallbackContext(DispatchContext):
    """The outermost context: each template's fallback. It says once which templates are not tuned.

    Example:
        >>> from lathe import autotvm
        >>> autotvm.task.FallbackContext().query(None, None).is_fallback
        True
    """
    def clear_cache(self, target: Any, workload: Any) -> Any: ...
    def query(self, target: Any, workload: Any) -> Any: ...
    def update(self, target: Any, workload: Any, cfg: Any) -> Any: ...
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class ApplyGraphBest(ApplyHistoryBest):
    """The same for the log that a graph tuner wrote (`autotvm.graph_tuner`).

    Args:
        records: a path of a log, an open file, a list of paths, or [(input, result)...].

    Example:
        >>> from lathe import autotvm
        >>> with autotvm.apply_graph_best([]):
        ...     autotvm.task.DispatchContext.current.query(None, ("t", 1)).is_fallback
        True
    """
    ...

def chooser() -> Any:
    """For builds of graphs: a function (kernel, workload, target) -> [[knob, value]...] or None.

    It asks the contexts as a template would. None if there is no context but the outermost one.

    Example:
        >>> from lathe import autotvm
        >>> autotvm.task.dispatcher.chooser() is None
        True
        >>> with autotvm.apply_history_best([]):
        ...     callable(autotvm.task.dispatcher.chooser())
        True
    """

def clear_fallback_cache(target: Any, workload: Any) -> Any:
    """Forgets what the outermost context knows about a workload.

    Example:
        >>> from lathe import autotvm
        >>> autotvm.task.clear_fallback_cache("llvm", ("t", 1))
    """

logger: Any
