"""Written by python/stubs/make_stubs.py."""

from typing import Any, NamedTuple
from lathe.error import LatheError as LatheError
from lathe.error import LatheTypeError as LatheTypeError
from lathe.transform import PassContext as PassContext
from lathe import rpc as rpc

class LocalBuilder:
    """Compiles candidates on this machine.

    Args:
        timeout: seconds for each candidate.
        n_parallel: candidates that are compiled at once; by default half of the processors, so that
            the other half measures.
        do_fork, build_func, build_kwargs, runtime: for compatibility, without effect: candidates are
            never compiled in forked processes, and reach a device without a linker.
        isolate: code generators run in processes of their own, so that one that ends with all memory
            used is a failed candidate; without it a candidate costs some 20 ms less.

    Example:
        >>> from lathe import autotvm
        >>> autotvm.LocalBuilder(timeout=5).timeout
        5
    """
    def elsewhere(self, target: Any) -> Any: ...
    def __init__(self, timeout: Any = ..., n_parallel: Any = ..., build_kwargs: Any = ..., build_func: Any = ..., do_fork: Any = ..., runtime: Any = ..., *, isolate: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class MeasureErrorNo:
    """Why a configuration has no times; the numbers are those of logs.

    Example:
        >>> from lathe import autotvm
        >>> autotvm.MeasureErrorNo.NO_ERROR
        0
    """
    ...

class Runner:
    """Base of LocalRunner and RPCRunner.

    Example:
        >>> from lathe import autotvm
        >>> issubclass(autotvm.LocalRunner, autotvm.measure.Runner)
        True
    """
    def measurer(self, builder: Any, target: Any) -> Any: ...
    def openers(self) -> Any: ...
    def __init__(self, timeout: Any, number: Any, repeat: Any, min_repeat_ms: Any, cooldown_interval: Any, enable_cpu_cache_flush: Any, module_loader: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class LocalRunner(Runner):
    """Runs candidates on this machine, in processes of their own.

    Args:
        timeout: seconds for all that a candidate does on the device.
        number: calls of a sample.
        repeat: samples.
        min_repeat_ms: `number` grows until a sample takes at least this long.
        cooldown_interval: seconds between samples.
        enable_cpu_cache_flush: the inputs are not in the caches when a sample begins.
        module_loader: for compatibility: None.

    Example:
        >>> from lathe import autotvm
        >>> autotvm.LocalRunner(number=5).timeout
        10
    """
    def openers(self) -> Any: ...
    def __init__(self, timeout: Any = ..., number: Any = ..., repeat: Any = ..., min_repeat_ms: Any = ..., cooldown_interval: Any = ..., enable_cpu_cache_flush: Any = ..., module_loader: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class RPCRunner(Runner):
    """Runs candidates on devices that a tracker lends.

    Args:
        key, host, port: of the devices, and of the tracker.
        priority: the higher, the earlier it gets a device.
        n_parallel: devices that are used at once; by default 1.
        timeout, number, repeat, min_repeat_ms, cooldown_interval: as for LocalRunner.
        enable_cpu_cache_flush, module_loader: as for LocalRunner.

    Example:
        >>> from lathe import autotvm
        >>> autotvm.RPCRunner("rk3399", "127.0.0.1", 9190, number=5).key
        'rk3399'
    """
    def openers(self) -> Any: ...
    def __init__(self, key: Any, host: Any, port: Any, priority: Any = ..., timeout: Any = ..., n_parallel: Any = ..., number: Any = ..., repeat: Any = ..., min_repeat_ms: Any = ..., cooldown_interval: Any = ..., enable_cpu_cache_flush: Any = ..., module_loader: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class MeasureInput(NamedTuple):
    """What is measured: a configuration of a task for a target.

    Example:
        >>> from lathe import autotvm
        >>> autotvm.MeasureInput("llvm", None, None).target
        'llvm'
    """

class MeasureResult(NamedTuple):
    """What was measured.

    Attributes:
        costs: seconds of one call, each sample; or an exception, if it failed.
        error_no: of MeasureErrorNo.
        all_cost: seconds that the whole trial took.
        timestamp: seconds since 1970.

    Example:
        >>> from lathe import autotvm
        >>> autotvm.MeasureResult((1e-3,), 0, 0.1, 0.0).costs[0]
        0.001
    """

class MeasureError(LatheError):
    """A failed trial; `kind` is that of the records of `lathe tune` (schedule, crash, ...).

    Example:
        >>> from lathe import autotvm
        >>> autotvm.measure.MeasureError("it crashed", "crash").kind
        'crash'
    """
    def __init__(self, message: Any, kind: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def create_measure_batch(task: Any, option: Any) -> Any:
    """A function that measures a list of MeasureInput of a task; see `measure_option`.

    Example:
        >>> from lathe import autotvm
        >>> callable(autotvm.create_measure_batch)
        True
    """

def failure_number(kind: Any) -> Any:
    """The number of MeasureErrorNo of a kind of failure.

    Example:
        >>> from lathe import autotvm
        >>> autotvm.measure.failure_number("wrong-answer")
        5
    """

def measure_option(builder: Any, runner: Any) -> Any:
    """How candidates are measured, for `Tuner.tune`.

    Args:
        builder: "local" or a LocalBuilder.
        runner: "local", a LocalRunner or an RPCRunner.

    Example:
        >>> from lathe import autotvm
        >>> sorted(autotvm.measure_option("local", autotvm.LocalRunner(number=5)))
        ['builder', 'runner']
    """

def request_remote(device_key: Any, host: Any = ..., port: Any = ..., priority: Any = ..., timeout: Any = ...) -> Any:
    """A session with a device that a tracker lends.

    Args:
        host, port: of the tracker; by default those of TVM_TRACKER_HOST and TVM_TRACKER_PORT.
        timeout: seconds after which the server ends the session.

    Example:
        >>> from lathe import autotvm
        >>> callable(autotvm.measure.request_remote)
        True
    """
