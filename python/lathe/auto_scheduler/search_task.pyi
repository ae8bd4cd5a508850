"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.auto_scheduler.compute_dag import ComputeDAG as ComputeDAG
from lathe.error import LatheError as LatheError
from lathe.auto_scheduler.compute_dag import LayoutRewriteOption as LayoutRewriteOption
from lathe.auto_scheduler.measure import LocalBuilder as LocalBuilder
from lathe.auto_scheduler.measure import LocalRunner as LocalRunner
from lathe.auto_scheduler.measure import PythonBasedMeasureCallback as PythonBasedMeasureCallback
from lathe.target import Target as Target
from lathe.auto_scheduler.search_policy import default_policy as default_policy
from lathe.auto_scheduler.workload_registry import make_workload_key as make_workload_key
from lathe.auto_scheduler.compute_dag import rewritten as rewritten
from lathe import te as te

class HardwareParams:
    """Sizes of a machine, for programs that pass them; Lathe takes them from the target.

    Example:
        >>> from lathe import auto_scheduler
        >>> auto_scheduler.HardwareParams(num_cores=4).num_cores
        4
    """
    def __init__(self, num_cores: Any = ..., vector_unit_bytes: Any = ..., cache_line_bytes: Any = ..., max_shared_memory_per_block: Any = ..., max_local_memory_per_block: Any = ..., max_threads_per_block: Any = ..., max_vthread_extent: Any = ..., warp_size: Any = ..., target: Any = ..., target_host: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class SearchTask:
    """A computation for a target, whose schedule is searched.

    Args:
        func: a registered function, or its name (`register_workload`); with `args`.
        args: its arguments.
        compute_dag: instead: a ComputeDAG.
        workload_key: instead: a workload's key (`make_workload_key`).
        target, target_host: text or Target.
        layout_rewrite_option: a LayoutRewriteOption; by default `get_target_default`.
        hardware_params, task_inputs, task_inputs_overwrite, task_inputs_save_to_file: for
            compatibility, without effect: sizes of the machine are the target's, and candidates get
            random inputs.
        desc: a name for people.

    Attributes:
        compute_dag, workload_key, target, layout_rewrite_option, desc.

    Raises:
        LatheError: `auto-scheduler-workload`, and what the function raises.

    Example:
        >>> from lathe import auto_scheduler, te
        >>> @auto_scheduler.register_workload
        ... def docs_add(n):
        ...     A = te.placeholder((n,), name="A")
        ...     return [A, te.compute((n,), lambda i: A[i] + 1.0, name="B")]
        >>> auto_scheduler.SearchTask(func=docs_add, args=(8,), target="llvm").workload_key
        '["docs_add", 8]'
    """
    def __repr__(self) -> str: ...
    def apply_best(self, log_file: Any, include_compatible: Any = ..., layout_rewrite_option: Any = ...) -> Any: ...
    def print_best(self, log_file: Any, print_mode: Any = ...) -> Any: ...
    def tune(self, tuning_options: Any, search_policy: Any = ..., adaptive_training: Any = ...) -> Any: ...
    def __init__(self, func: Any = ..., args: Any = ..., compute_dag: Any = ..., workload_key: Any = ..., target: Any = ..., target_host: Any = ..., hardware_params: Any = ..., layout_rewrite_option: Any = ..., task_inputs: Any = ..., task_inputs_overwrite: Any = ..., task_inputs_save_to_file: Any = ..., desc: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class TuningOptions:
    """How a search is done.

    Args:
        num_measure_trials: candidates that are measured, at most.
        early_stopping: ends after so many without a better one.
        num_measures_per_round: of a TaskScheduler: trials of a turn, at most.
        verbose: 0: no progress.
        builder: "local" or a LocalBuilder.
        runner: "local", a LocalRunner or an RPCRunner.
        measure_callbacks: [RecordToFile(file)...], or others with `callback(policy, inputs, results)`.

    Example:
        >>> from lathe import auto_scheduler
        >>> auto_scheduler.TuningOptions(num_measure_trials=10).num_measure_trials
        10
    """
    def __init__(self, num_measure_trials: Any = ..., early_stopping: Any = ..., num_measures_per_round: Any = ..., verbose: Any = ..., builder: Any = ..., runner: Any = ..., measure_callbacks: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def auto_schedule(task: Any, search_policy: Any = ..., tuning_options: Any = ...) -> Any:
    """Searches, and returns (schedule, tensors) of the best; the name of older versions.

    Args:
        tuning_options: a TuningOptions; it must have trials.

    Raises:
        LatheError: `tune-no-record`: no trial succeeded.

    Example:
        >>> from lathe import auto_scheduler
        >>> callable(auto_scheduler.auto_schedule)
        True
    """

def create_task(func: Any, args: Any, target: Any, target_host: Any = ..., hardware_params: Any = ...) -> Any:
    """A SearchTask; the name of older versions.

    Example:
        >>> from lathe import auto_scheduler, te
        >>> @auto_scheduler.register_workload
        ... def docs_sub(n):
        ...     A = te.placeholder((n,), name="A")
        ...     return [A, te.compute((n,), lambda i: A[i] - 1.0, name="B")]
        >>> auto_scheduler.create_task(docs_sub, (8,), "llvm").workload_key
        '["docs_sub", 8]'
    """

def deserialize_task(text: Any) -> Any:
    """The SearchTask of what `serialize_task` gave. Its workload must be registered here.

    Raises:
        LatheError: `auto-scheduler-workload`: it is not, or the text is no task.

    Example:
        >>> from lathe import auto_scheduler, te
        >>> from lathe.auto_scheduler import search_task
        >>> @auto_scheduler.register_workload
        ... def docs_read_back(n):
        ...     A = te.placeholder((n,), name="A")
        ...     return [A, te.compute((n,), lambda i: A[i] + 1.0, name="B")]
        >>> task = auto_scheduler.SearchTask(func=docs_read_back, args=(8,), target="llvm")
        >>> search_task.deserialize_task(search_task.serialize_task(task)).workload_key
        '["docs_read_back", 8]'
    """

def serialize_task(task: Any) -> Any:
    """A task as text, for `deserialize_task`: its workload's key, its targets and its name.

    Example:
        >>> from lathe import auto_scheduler, te
        >>> @auto_scheduler.register_workload
        ... def docs_kept(n):
        ...     A = te.placeholder((n,), name="A")
        ...     return [A, te.compute((n,), lambda i: A[i] + 1.0, name="B")]
        >>> from lathe.auto_scheduler import search_task
        >>> task = auto_scheduler.SearchTask(func=docs_kept, args=(8,), target="llvm", desc="add")
        >>> search_task.deserialize_task(search_task.serialize_task(task))
        SearchTask(add, llvm)
    """
