"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.autotvm.tuner.tuner import Tuner as Tuner
from lathe.autotvm.tuner.annealing import Annealing as Annealing
from lathe.autotvm.tuner.features import KnobFeatures as KnobFeatures
from lathe.error import LatheError as LatheError
from lathe.error import LatheValueError as LatheValueError
from lathe.autotvm.measure import MeasureErrorNo as MeasureErrorNo
from lathe.autotvm.tuner.features import curve_row as curve_row
from lathe.autotvm.tuner.features import itervar_row as itervar_row

class XGBCostModel:
    """Predicts which configurations are fast.

    It learns speeds, as parts of the best speed of their task: so trials of different tasks can be
    learned from together, and only the order within a task counts (T. Chen and others: Learning to
    Optimize Tensor Programs, NeurIPS 2018).

    Args:
        loss_type: "reg": squares of what is wrong; "rank": pairs in the wrong order; "rank-binary":
            the fast half before the slow one.
        num_threads: None: one, which is the fastest for so few rows.
        seed: of the trees.

    Example:
        >>> from lathe.autotvm.tuner.xgboost_tuner import XGBCostModel
        >>> model = XGBCostModel("rank", num_threads=1)
        >>> model.fit([[1.0], [2.0], [3.0], [4.0]], [10.0, 20.0, 30.0, 40.0], [0, 0, 0, 0])
        >>> len(model.predict([[5.0], [6.0]]))
        2
    """
    def fit(self, rows: Any, speeds: Any, tasks: Any) -> Any: ...
    def predict(self, rows: Any) -> Any: ...
    def __init__(self, loss_type: Any = ..., num_threads: Any = ..., seed: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class XGBTuner(Tuner):
    """Measures what a model of costs finds promising, and learns from it.

    Args:
        task: an autotvm.task.Task.
        plan_size: trials between two updates of the model.
        feature_type: what the model sees: "knob": the configuration, cheap, for this task alone;
            "itervar": loops and what they touch (`lathe.explain`), also for other tasks; "curve":
            how memory grows with iterations, for tasks with other loops.
        loss_type: as XGBCostModel has it.
        num_threads: as XGBCostModel has it.
        optimizer: "sa": simulated annealing searches the space with the model, or an object with
            `best` as `Annealing` has it.
        diversity_filter_ratio: None, or at least 1: of so many times more promising configurations
            those are tried that differ most in their knobs.
        log_interval: TVM's; has no effect.
        seed: the same seed gives the same search on every machine, as far as times are the same.

    Raises:
        LatheError: `tune-no-xgboost`: the package is not installed.

    Example:
        >>> from lathe import autotvm
        >>> sorted(autotvm.tuner.xgboost_tuner.LOSS_TYPES)
        ['rank', 'rank-binary', 'reg']
    """
    def has_next(self) -> Any: ...
    def load_history(self, data_set: Any, min_seed_records: Any = ...) -> Any: ...
    def next_batch(self, batch_size: Any) -> Any: ...
    def update(self, inputs: Any, results: Any) -> Any: ...
    def __init__(self, task: Any, plan_size: Any = ..., feature_type: Any = ..., loss_type: Any = ..., num_threads: Any = ..., optimizer: Any = ..., diversity_filter_ratio: Any = ..., log_interval: Any = ..., *, seed: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

CURVE_LENGTH: Any

FEATURE_TYPES: Any

ITERVAR_LENGTH: Any

LOSS_TYPES: Any

logger: Any
