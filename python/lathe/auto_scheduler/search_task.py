"""What is searched, and how long."""

import json

from .. import _ffi, te
from ..error import LatheError
from ..target import Target
from .compute_dag import ComputeDAG, LayoutRewriteOption, rewritten
from .measure import LocalBuilder, LocalRunner, PythonBasedMeasureCallback
from .search_policy import default_policy
from .workload_registry import make_workload_key

_get = _ffi.get


class HardwareParams:
    """Sizes of a machine, for programs that pass them; Lathe takes them from the target.

    Example:
        >>> from lathe import auto_scheduler
        >>> auto_scheduler.HardwareParams(num_cores=4).num_cores
        4
    """

    def __init__(self, num_cores=None, vector_unit_bytes=None, cache_line_bytes=None,
                 max_shared_memory_per_block=None, max_local_memory_per_block=None,
                 max_threads_per_block=None, max_vthread_extent=None, warp_size=None, target=None,
                 target_host=None):
        self.num_cores, self.vector_unit_bytes = num_cores, vector_unit_bytes
        self.cache_line_bytes, self.warp_size = cache_line_bytes, warp_size
        self.max_shared_memory_per_block = max_shared_memory_per_block
        self.max_local_memory_per_block = max_local_memory_per_block
        self.max_threads_per_block = max_threads_per_block
        self.max_vthread_extent = max_vthread_extent


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

    def __init__(self, num_measure_trials=0, early_stopping=None, num_measures_per_round=64, verbose=1,
                 builder="local", runner="local", measure_callbacks=None):
        self.num_measure_trials, self.early_stopping = num_measure_trials, early_stopping
        self.num_measures_per_round, self.verbose = num_measures_per_round, verbose
        self.builder = LocalBuilder() if builder == "local" else builder
        self.runner = LocalRunner() if runner == "local" else runner
        self.measure_callbacks = list(measure_callbacks or ())


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

    def __init__(self, func=None, args=None, compute_dag=None, workload_key=None, target=None,
                 target_host=None, hardware_params=None, layout_rewrite_option=None, task_inputs=None,
                 task_inputs_overwrite=False, task_inputs_save_to_file=False, desc=""):
        if func is not None:
            workload_key = make_workload_key(func, args or ())
        if compute_dag is None:
            if workload_key is None:
                raise LatheError("a search task needs a computation", "auto-scheduler-workload",
                                 "expected: func and args, workload_key, or compute_dag")
            compute_dag = ComputeDAG(workload_key)
        self.compute_dag, self.desc = compute_dag, desc
        self.workload_key = workload_key or compute_dag.workload_key()
        self.target = Target(target if target is not None else "llvm", target_host)
        if layout_rewrite_option is None:
            layout_rewrite_option = LayoutRewriteOption.get_target_default(self.target)
        self.layout_rewrite_option = layout_rewrite_option

    def _pre_transformed(self):
        """The inputs whose layouts a schedule may choose."""
        if self.layout_rewrite_option != LayoutRewriteOption.REWRITE_FOR_PRE_TRANSFORMED:
            return []
        return _get("schedule.layout_free_inputs")(te.create_schedule(self.compute_dag.outputs))

    def tune(self, tuning_options, search_policy=None, adaptive_training=False):
        """Searches.

        Args:
            tuning_options: a TuningOptions.
            search_policy: a SketchPolicy of this task; by default one with an XGBModel.
            adaptive_training: for compatibility, without effect.

        Raises:
            KeyboardInterrupt: Ctrl-C; callbacks were called with each finished trial.
        """
        policy = search_policy if search_policy is not None else default_policy(self)
        policy._search(tuning_options)

    def apply_best(self, log_file, include_compatible=False, layout_rewrite_option=None):
        """(schedule, tensors) of the best record of a file.

        Args:
            include_compatible: for compatibility, without effect.
            layout_rewrite_option: a LayoutRewriteOption; by default the task's. With
                REWRITE_FOR_PRE_TRANSFORMED, `schedule.in_layout(tensor, values)` gives what a caller
                passes.

        Raises:
            LatheError: `tune-no-record`: the file has none of this task; `tune-journal-unreadable`.
        """
        if layout_rewrite_option is None:
            layout_rewrite_option = self.layout_rewrite_option
        return rewritten(self._best(log_file), layout_rewrite_option), self.compute_dag.tensors

    def print_best(self, log_file, print_mode="schedule"):
        """The steps of the best record's schedule, as text.

        Args:
            print_mode: "schedule".

        Raises:
            LatheError: `auto-scheduler-print-mode`: another one; build the schedule of `apply_best`
                for the source of its kernels. And as `apply_best` does.
        """
        if print_mode != "schedule":
            raise LatheError(f"a schedule cannot be printed as {print_mode!r}", "auto-scheduler-print-mode",
                             "expected: \"schedule\"\nhelp: lathe.build of what apply_best gives has the "
                             "kernels' source")
        return "\n".join(str(step) for step in self._best(log_file).trace)

    def _best(self, log_file):
        best = _get("tune.best_records")()
        _get("tune.best_read", True)(best, str(log_file))
        found = _get("tune.best_find")(best, self.compute_dag.tensors, self.target)
        if found is None:
            raise LatheError(f"{log_file} has no record of this task that was measured", "tune-no-record",
                             "help: records are for one computation on one target; `lathe tune records` "
                             "lists what a file has")
        return found[0]

    def __repr__(self):
        return f"SearchTask({self.desc or self.workload_key}, {self.target.kind})"


def serialize_task(task):
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
    host = task.target.host
    return json.dumps({"lathe_task": 1, "workload_key": task.workload_key, "target": str(task.target),
                       "host": None if host is None else str(host), "desc": task.desc,
                       "layout_rewrite_option": task.layout_rewrite_option})


def deserialize_task(text):
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
    try:
        found = json.loads(text)
        known = found["lathe_task"] == 1
    except (ValueError, KeyError, TypeError):
        known = False
    if not known:
        raise LatheError("this text is no search task", "auto-scheduler-workload",
                         "expected: what serialize_task gave")
    return SearchTask(workload_key=found["workload_key"], target=found["target"], target_host=found["host"],
                      layout_rewrite_option=found["layout_rewrite_option"], desc=found["desc"])


def create_task(func, args, target, target_host=None, hardware_params=None):
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
    return SearchTask(func=func, args=args, target=target, target_host=target_host,
                      hardware_params=hardware_params)


def auto_schedule(task, search_policy=None, tuning_options=None):
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
    best = [float("inf"), None]

    class Keep(PythonBasedMeasureCallback):
        """Keeps the fastest."""

        def callback(self, policy, inputs, results):
            for given, result in zip(inputs, results):
                cost = sum(result.costs) / len(result.costs) if result.error_no == 0 else float("inf")
                if cost < best[0]:
                    best[:] = [cost, given.state.schedule]

    options = tuning_options if tuning_options is not None else TuningOptions()
    callbacks = options.measure_callbacks
    options.measure_callbacks = callbacks + [Keep()]
    try:
        task.tune(options, search_policy)
    finally:
        options.measure_callbacks = callbacks
    if best[1] is None:
        raise LatheError("no trial of this task succeeded", "tune-no-record",
                         "help: TuningOptions(num_measure_trials=64)")
    return rewritten(best[1], task.layout_rewrite_option), task.compute_dag.tensors
