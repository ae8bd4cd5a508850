"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheError as LatheError
from lathe.error import LatheValueError as LatheValueError
from lathe.auto_scheduler.search_policy import PreloadMeasuredStates as PreloadMeasuredStates
from lathe.auto_scheduler.search_policy import RandomModel as RandomModel
from lathe.auto_scheduler.search_policy import SearchPolicy as SearchPolicy
from lathe.auto_scheduler.search_policy import SketchPolicy as SketchPolicy
from lathe.auto_scheduler.search_policy import XGBModel as XGBModel
from lathe.auto_scheduler.search_policy import default_policy as default_policy

class TaskScheduler:
    """Searches several tasks by turns, first each, then those of which most is expected.

    Which goes on is decided as in Ansor (tune/task_scheduler.h).

    Args:
        tasks: SearchTasks.
        task_weights: how often a run calls each; by default once.
        objective_func: the cost of the whole from a list of seconds, which is made small; by default
            the sum of weight and seconds.
        strategy: "gradient", or "round-robin": every task gets the same.
        load_log_file: a file of records with which the searches begin; raises
            `tune-journal-unreadable` if there is none.
        load_model_file, alpha, beta, gamma, backward_window_size: for compatibility, without effect.
        callbacks: TaskSchedulerCallbacks; by default [PrintTableInfo()].

    Attributes:
        best_costs: seconds of each task's best trial; infinite before there is one.
        cur_score: the objective of these.
        task_cts: trials of each task; `ct`: of all.

    Raises:
        LatheError: `auto-scheduler-tasks`: weights that do not belong to the tasks, no tasks, or a
            strategy that does not exist.

    Example:
        >>> from lathe import auto_scheduler, te
        >>> A = te.placeholder((8, 64), name="A")
        >>> dag = auto_scheduler.ComputeDAG([A, te.compute((8, 64), lambda i, j: A[i, j] * 2.0, name="B")])
        >>> task = auto_scheduler.SearchTask(compute_dag=dag, target="llvm")
        >>> auto_scheduler.TaskScheduler([task], [4]).task_weights
        [4]
    """
    @property
    def cur_score(self) -> Any:
        """The objective of the best costs."""

    def table(self, next_task: Any = ...) -> Any: ...
    def tune(self, tune_option: Any, search_policy: Any = ..., search_policy_params: Any = ..., adaptive_training: Any = ..., per_task_early_stopping: Any = ...) -> Any: ...
    def __init__(self, tasks: Any, task_weights: Any = ..., objective_func: Any = ..., strategy: Any = ..., load_model_file: Any = ..., load_log_file: Any = ..., alpha: Any = ..., beta: Any = ..., gamma: Any = ..., backward_window_size: Any = ..., callbacks: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class TaskSchedulerCallback:
    """Base of callbacks of a TaskScheduler.

    Example:
        >>> from lathe import auto_scheduler
        >>> auto_scheduler.task_scheduler.TaskSchedulerCallback().pre_tune(None, 0)
    """
    def post_tune(self, task_scheduler: Any, task_id: Any) -> Any: ...
    def pre_tune(self, task_scheduler: Any, task_id: Any) -> Any: ...
    ...

class LogEstimatedLatency(TaskSchedulerCallback):
    """Appends a line to a file after each turn: seconds since the begin, milliseconds of the whole, and
    trials, with tabs between.

    Args:
        log_file: a path.

    Example:
        >>> from lathe import auto_scheduler
        >>> callable(auto_scheduler.task_scheduler.LogEstimatedLatency("total.tsv").post_tune)
        True
    """
    def post_tune(self, task_scheduler: Any, task_id: Any) -> Any: ...
    def __init__(self, log_file: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class PrintTableInfo(TaskSchedulerCallback):
    """Prints a table of the tasks before each turn.

    Example:
        >>> from lathe import auto_scheduler
        >>> callable(auto_scheduler.task_scheduler.PrintTableInfo().pre_tune)
        True
    """
    def pre_tune(self, task_scheduler: Any, task_id: Any) -> Any: ...
    ...

logger: Any
