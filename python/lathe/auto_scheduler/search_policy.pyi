"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.autotvm.tuner.tuner import GATuner as GATuner
from lathe.autotvm.tuner.tuner import GridSearchTuner as GridSearchTuner
from lathe.error import LatheError as LatheError
from lathe.error import LatheTypeError as LatheTypeError
from lathe.autotvm.measure import LocalRunner as LocalRunner
from lathe.auto_scheduler._points import ManyPoints as ManyPoints
from lathe.auto_scheduler._points import ManyTuner as ManyTuner
from lathe.autotvm.measure import MeasureError as MeasureError
from lathe.autotvm.measure import MeasureErrorNo as MeasureErrorNo
from lathe.autotvm.measure import MeasureInput as MeasureInput
from lathe.autotvm.measure import MeasureResult as MeasureResult
from lathe.auto_scheduler._points import Points as Points
from lathe.auto_scheduler.sketch import PreloadCustomSketchRule as PreloadCustomSketchRule
from lathe.auto_scheduler.loop_state import State as State
from lathe.autotvm.tuner.xgboost_tuner import XGBTuner as XGBTuner
from lathe.autotvm.measure import create_measure_batch as create_measure_batch
from lathe.autotvm.measure import failure_number as failure_number
from lathe.autotvm.measure import measure_option as measure_option
from lathe.auto_scheduler.sketch import sketches_of as sketches_of
from lathe import te as te

class PreloadMeasuredStates:
    """For `SketchPolicy`: the search goes on from the records of a file.

    Args:
        filename: a file of `RecordToFile`.

    Example:
        >>> from lathe import auto_scheduler
        >>> auto_scheduler.PreloadMeasuredStates("tune.jsonl").filename
        'tune.jsonl'
    """
    def __init__(self, filename: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class RandomModel:
    """No model: a search evolves from what was measured.

    Example:
        >>> from lathe import auto_scheduler
        >>> isinstance(auto_scheduler.RandomModel(), auto_scheduler.RandomModel)
        True
    """
    ...

class SearchPolicy:
    """Base of the policies.

    Example:
        >>> from lathe import auto_scheduler
        >>> issubclass(auto_scheduler.SketchPolicy, auto_scheduler.SearchPolicy)
        True
    """
    def __init__(self, task: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class XGBModel:
    """Boosted trees that predict which schedules are fast; needs the package xgboost.

    Args:
        verbose_eval, num_warmup_sample, model_file, adaptive_training: for compatibility, without
            effect.
        seed: of the trees, and of the search unless the policy has one.

    Example:
        >>> from lathe import auto_scheduler
        >>> auto_scheduler.XGBModel(seed=3).seed
        3
    """
    def update_from_file(self, file_name: Any, n_lines: Any = ...) -> Any: ...
    def __init__(self, verbose_eval: Any = ..., num_warmup_sample: Any = ..., seed: Any = ..., model_file: Any = ..., adaptive_training: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class SketchPolicy(SearchPolicy):
    """Searches the space that follows from a task's computation (tune/sketch_space.h).

    The first trial is the schedule that a build has without records: what is found is never slower.
    Its state has the knobs {"schedule": "default"}. It is the only trial if there is nothing to choose.

    Args:
        task: a SearchTask.
        program_cost_model: an XGBModel or a RandomModel (by default).
        params: for compatibility, without effect.
        seed: the same one gives the same candidates, as far as the times are the same.
        verbose: 1: a line of progress; 0: none.
        init_search_callbacks: [PreloadMeasuredStates(file), PreloadCustomSketchRule(...)...].

    Sketches of rules are searched beside the built-in space, each with a tuner of its own. Their
    states have the knob "sketch", which names the rule.

    Raises:
        LatheError: `tune-no-xgboost`: the model needs that package; `auto-scheduler-sketch-rule`: a
            rule failed; `auto-scheduler-callback`.

    Example:
        >>> from lathe import auto_scheduler, te
        >>> A = te.placeholder((8, 64), name="A")
        >>> dag = auto_scheduler.ComputeDAG([A, te.compute((8, 64), lambda i, j: A[i, j] * 2.0, name="B")])
        >>> task = auto_scheduler.SearchTask(compute_dag=dag, target="llvm")
        >>> policy = auto_scheduler.SketchPolicy(task, auto_scheduler.RandomModel(), seed=1)
        >>> policy.search_task is task
        True
    """
    def generate_sketches(self, print_for_debug: Any = ...) -> Any: ...
    def __init__(self, task: Any, program_cost_model: Any = ..., params: Any = ..., seed: Any = ..., verbose: Any = ..., init_search_callbacks: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class EmptyPolicy(SketchPolicy):
    """Measures the program without a schedule, once: to try how a machine measures.

    Args:
        task: a SearchTask.
        init_search_callbacks: for compatibility, without effect.

    Example:
        >>> from lathe import auto_scheduler, te
        >>> A = te.placeholder((8, 64), name="A")
        >>> dag = auto_scheduler.ComputeDAG([A, te.compute((8, 64), lambda i, j: A[i, j] * 2.0, name="B")])
        >>> task = auto_scheduler.SearchTask(compute_dag=dag, target="llvm")
        >>> isinstance(auto_scheduler.EmptyPolicy(task), auto_scheduler.SearchPolicy)
        True
    """
    def __init__(self, task: Any, init_search_callbacks: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

SKETCH: Any

StateInput = MeasureInput

def default_policy(task: Any, **options: Any) -> Any:
    """A SketchPolicy with an XGBModel, or without a model where xgboost is not installed.

    Args:
        options: further arguments of SketchPolicy.

    Example:
        >>> from lathe.auto_scheduler import search_policy
        >>> callable(search_policy.default_policy)
        True
    """

logger: Any
