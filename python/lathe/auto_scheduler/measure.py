"""How candidates are measured, and what is told of it. Compiling and running are autotvm's."""

import collections

from ..autotvm import measure as _measure
from ..autotvm.measure import MeasureResult


class MeasureInput(collections.namedtuple("MeasureInput", ["task", "state"])):
    """What is measured: a state of a search task.

    Example:
        >>> from lathe import auto_scheduler
        >>> auto_scheduler.MeasureInput(None, None).state is None
        True
    """


def recover_measure_input(inp, rebuild_state=False):
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
    from .loop_state import State

    return MeasureInput(inp.task, State(inp.state) if rebuild_state else inp.state)


class LocalBuilder(_measure.LocalBuilder):
    """Compiles candidates on this machine; as autotvm.LocalBuilder.

    Example:
        >>> from lathe import auto_scheduler
        >>> auto_scheduler.LocalBuilder(timeout=5).timeout
        5
    """

    def __init__(self, timeout=15, n_parallel=None, build_func="default", *, isolate=True):
        super().__init__(timeout, n_parallel, build_func=build_func, isolate=isolate)


class LocalRunner(_measure.LocalRunner):
    """Runs candidates on this machine, in processes of their own; as autotvm.LocalRunner.

    Example:
        >>> from lathe import auto_scheduler
        >>> auto_scheduler.LocalRunner(number=5).timeout
        10
    """

    def __init__(self, timeout=10, number=3, repeat=1, min_repeat_ms=100, cooldown_interval=0.0,
                 enable_cpu_cache_flush=False, device=0):
        super().__init__(timeout, number, repeat, min_repeat_ms, cooldown_interval,
                         enable_cpu_cache_flush)


class RPCRunner(_measure.RPCRunner):
    """Runs candidates on devices that a tracker lends; as autotvm.RPCRunner.

    Example:
        >>> from lathe import auto_scheduler
        >>> auto_scheduler.RPCRunner("rk3399", "127.0.0.1", 9190).key
        'rk3399'
    """

    def __init__(self, key, host, port, priority=1, n_parallel=1, timeout=10, number=3, repeat=1,
                 min_repeat_ms=100, cooldown_interval=0.0, enable_cpu_cache_flush=False, device=0):
        super().__init__(key, host, port, priority, timeout, n_parallel, number, repeat,
                         min_repeat_ms, cooldown_interval, enable_cpu_cache_flush)


class LocalRPCMeasureContext:
    """A runner of this machine, for programs that use it by this name.

    Attributes:
        runner: a LocalRunner: candidates always run in processes of their own.

    Example:
        >>> from lathe import auto_scheduler
        >>> auto_scheduler.LocalRPCMeasureContext(number=1).runner.timeout
        10
    """

    def __init__(self, priority=1, n_parallel=1, timeout=10, number=3, repeat=1, min_repeat_ms=100,
                 cooldown_interval=0.0, enable_cpu_cache_flush=False, device=0):
        self.runner = LocalRunner(timeout, number, repeat, min_repeat_ms, cooldown_interval,
                                  enable_cpu_cache_flush)


class PythonBasedMeasureCallback:
    """Base of callbacks: `callback(policy, inputs, results)` is called after each trial.

    Example:
        >>> from lathe import auto_scheduler
        >>> auto_scheduler.PythonBasedMeasureCallback().callback(None, [], [])
    """

    def callback(self, policy, inputs, results):
        """Told of [MeasureInput] and [MeasureResult]."""
