"""Written by python/stubs/make_stubs.py."""

from typing import Any, NamedTuple
from lathe.autotvm.measure import LocalBuilder as _CoreLocalBuilder
from lathe.autotvm.measure import LocalRunner as _CoreLocalRunner
from lathe.autotvm.measure import RPCRunner as _CoreRPCRunner
from lathe.autotvm.measure import MeasureResult as MeasureResult

class LocalRPCMeasureContext:
    """A runner of this machine, for programs that use it by this name.

    Attributes:
        runner: a LocalRunner: candidates always run in processes of their own.

    Example:
        >>> from lathe import auto_scheduler
        >>> auto_scheduler.LocalRPCMeasureContext(number=1).runner.timeout
        10
    """
    def __init__(self, priority: Any = ..., n_parallel: Any = ..., timeout: Any = ..., number: Any = ..., repeat: Any = ..., min_repeat_ms: Any = ..., cooldown_interval: Any = ..., enable_cpu_cache_flush: Any = ..., device: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class PythonBasedMeasureCallback:
    """Base of callbacks: `callback(policy, inputs, results)` is called after each trial.

    Example:
        >>> from lathe import auto_scheduler
        >>> auto_scheduler.PythonBasedMeasureCallback().callback(None, [], [])
    """
    def callback(self, policy: Any, inputs: Any, results: Any) -> Any: ...
    ...

class LocalBuilder(_CoreLocalBuilder):
    """Compiles candidates on this machine; as autotvm.LocalBuilder.

    Example:
        >>> from lathe import auto_scheduler
        >>> auto_scheduler.LocalBuilder(timeout=5).timeout
        5
    """
    def __init__(self, timeout: Any = ..., n_parallel: Any = ..., build_func: Any = ..., *, isolate: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class LocalRunner(_CoreLocalRunner):
    """Runs candidates on this machine, in processes of their own; as autotvm.LocalRunner.

    Example:
        >>> from lathe import auto_scheduler
        >>> auto_scheduler.LocalRunner(number=5).timeout
        10
    """
    def __init__(self, timeout: Any = ..., number: Any = ..., repeat: Any = ..., min_repeat_ms: Any = ..., cooldown_interval: Any = ..., enable_cpu_cache_flush: Any = ..., device: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class MeasureInput(NamedTuple):
    """What is measured: a state of a search task.

    Example:
        >>> from lathe import auto_scheduler
        >>> auto_scheduler.MeasureInput(None, None).state is None
        True
    """

class RPCRunner(_CoreRPCRunner):
    """Runs candidates on devices that a tracker lends; as autotvm.RPCRunner.

    Example:
        >>> from lathe import auto_scheduler
        >>> auto_scheduler.RPCRunner("rk3399", "127.0.0.1", 9190).key
        'rk3399'
    """
    def __init__(self, key: Any, host: Any, port: Any, priority: Any = ..., n_parallel: Any = ..., timeout: Any = ..., number: Any = ..., repeat: Any = ..., min_repeat_ms: Any = ..., cooldown_interval: Any = ..., enable_cpu_cache_flush: Any = ..., device: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def recover_measure_input(inp: Any, rebuild_state: Any = ...) -> Any:
    """An input whose task and state are whole. Records have both, so this only makes new ones.

    Args:
        inp: a MeasureInput, such as `RecordReader` gives.
        rebuild_state: copy the state, so that changes of its schedule change no other's.

    Example:
        >>> from lathe import auto_scheduler
        >>> inp = auto_scheduler.MeasureInput(None, None)
        >>> auto_scheduler.measure.recover_measure_input(inp) == inp
        True
    """
