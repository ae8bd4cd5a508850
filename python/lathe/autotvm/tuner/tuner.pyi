"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheError as LatheError
from lathe.autotvm.measure import MeasureErrorNo as MeasureErrorNo
from lathe.autotvm.measure import MeasureInput as MeasureInput

class Tuner:
    """Base of the tuners. One of your own has `next_batch`, `has_next` and `update`.

    Args:
        task: an autotvm.task.Task.

    Attributes:
        best_config, best_flops, best_measure_pair, best_iter: of the best trial so far.

    Example:
        >>> from lathe import autotvm
        >>> issubclass(autotvm.tuner.RandomTuner, autotvm.tuner.Tuner)
        True
    """
    def has_next(self) -> Any: ...
    def load_history(self, data_set: Any, min_seed_records: Any = ...) -> Any: ...
    def next_batch(self, batch_size: Any) -> Any: ...
    def reset(self) -> Any: ...
    def set_error_threshold(self, threshold: Any) -> Any: ...
    def tune(self, n_trial: Any, measure_option: Any, early_stopping: Any = ..., callbacks: Any = ..., si_prefix: Any = ...) -> Any: ...
    def update(self, inputs: Any, results: Any) -> Any: ...
    def __init__(self, task: Any, **kwargs: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class SpaceTuner(Tuner):
    """A tuner of the C++ side: `name` is random, grid or genetic.

    Example:
        >>> from lathe import autotvm
        >>> issubclass(autotvm.tuner.GATuner, autotvm.tuner.tuner.SpaceTuner)
        True
    """
    def has_next(self) -> Any: ...
    def next_batch(self, batch_size: Any) -> Any: ...
    def update(self, inputs: Any, results: Any) -> Any: ...
    def __init__(self, task: Any, name: Any, options: Any = ..., seed: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class GATuner(SpaceTuner):
    """Genetic search: configurations are children of the fastest ones.

    Args:
        pop_size: configurations of a generation.
        elite_num: the best so far, which compete with each generation.
        mutation_prob: the chance of a knob to be drawn anew.
        seed: the same seed gives the same search on every machine, as far as times are the same.

    Example:
        >>> from lathe import autotvm
        >>> task = autotvm.task.Task("t", ())
        >>> task.config_space = autotvm.ConfigSpace()
        >>> _ = task.config_space.define_knob("unroll", [0, 1, 2])
        >>> len(autotvm.tuner.GATuner(task).next_batch(8))
        3
    """
    def __init__(self, task: Any, pop_size: Any = ..., elite_num: Any = ..., mutation_prob: Any = ..., *, seed: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class GridSearchTuner(SpaceTuner):
    """Tries configurations in the order of their numbers.

    Example:
        >>> from lathe import autotvm
        >>> task = autotvm.task.Task("t", ())
        >>> task.config_space = autotvm.ConfigSpace()
        >>> _ = task.config_space.define_knob("unroll", [0, 1, 2])
        >>> len(autotvm.tuner.GridSearchTuner(task).next_batch(8))
        3
    """
    def __init__(self, task: Any, range_idx: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class RandomTuner(SpaceTuner):
    """Tries configurations in a random order, none twice.

    Args:
        seed: the same seed gives the same order on every machine.

    Example:
        >>> from lathe import autotvm
        >>> task = autotvm.task.Task("t", ())
        >>> task.config_space = autotvm.ConfigSpace()
        >>> _ = task.config_space.define_knob("unroll", [0, 1, 2])
        >>> len(autotvm.tuner.RandomTuner(task).next_batch(8))
        3
    """
    def __init__(self, task: Any, range_idx: Any = ..., *, seed: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

logger: Any
