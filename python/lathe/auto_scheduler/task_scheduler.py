"""Searches of several tasks, such as a network's kernels, by turns."""

import logging
import math
import statistics
import sys
import time

from .. import _ffi
from ..error import LatheError, LatheValueError
from .search_policy import (PreloadMeasuredStates, RandomModel, SearchPolicy, SketchPolicy, XGBModel,
                            default_policy)

_get = _ffi.get
logger = logging.getLogger("auto_scheduler")
# Costs are made smaller by this part to see how much an objective depends on each.
_SMALL = 1e-3


class TaskSchedulerCallback:
    """Base of callbacks of a TaskScheduler.

    Example:
        >>> from lathe import auto_scheduler
        >>> auto_scheduler.task_scheduler.TaskSchedulerCallback().pre_tune(None, 0)
    """

    def pre_tune(self, task_scheduler, task_id):
        """Called before a task is searched."""

    def post_tune(self, task_scheduler, task_id):
        """Called after it."""


class PrintTableInfo(TaskSchedulerCallback):
    """Prints a table of the tasks before each turn.

    Example:
        >>> from lathe import auto_scheduler
        >>> callable(auto_scheduler.task_scheduler.PrintTableInfo().pre_tune)
        True
    """

    def pre_tune(self, task_scheduler, task_id):
        """Prints it."""
        print(task_scheduler.table(task_id), file=sys.stderr, flush=True)


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

    def __init__(self, log_file):
        self.log_file = str(log_file)

    def post_tune(self, task_scheduler, task_id):
        """Appends it."""
        score = task_scheduler.cur_score
        milliseconds = f"{score * 1e3:.6g}" if math.isfinite(score) else "not known"
        with open(self.log_file, "a", encoding="utf-8") as out:
            out.write(f"{time.monotonic() - task_scheduler.begun:.1f}\t{milliseconds}\t"
                      f"{task_scheduler.ct}\n")


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

    def __init__(self, tasks, task_weights=None, objective_func=None, strategy="gradient",
                 load_model_file=None, load_log_file=None, alpha=0.2, beta=2, gamma=0.5,
                 backward_window_size=3, callbacks=None):
        self.tasks = list(tasks)
        self.task_weights = [1] * len(self.tasks) if task_weights is None else list(task_weights)
        if len(self.task_weights) != len(self.tasks) or not self.tasks:
            raise LatheValueError("each task needs a weight", "auto-scheduler-tasks",
                                  f"expected: at least one task, and {len(self.tasks)} weights\n"
                                  f"found: {len(self.tasks)} tasks, {len(self.task_weights)} weights")
        if strategy not in ("gradient", "round-robin"):
            raise LatheValueError(f"there is no strategy {strategy!r}", "auto-scheduler-tasks",
                                  "expected: \"gradient\" or \"round-robin\"")
        self.objective_func = objective_func or self._sum
        self.strategy, self.load_log_file = strategy, load_log_file
        self.callbacks = [PrintTableInfo()] if callbacks is None else list(callbacks)
        self.best_costs = [math.inf] * len(self.tasks)
        self.task_cts = [0] * len(self.tasks)
        self.ct, self.begun = 0, time.monotonic()
        self._scheduler = None
        if load_log_file is not None:
            best = _get("tune.best_records")()
            _get("tune.best_read", True)(best, str(load_log_file))
            for number, task in enumerate(self.tasks):
                found = _get("tune.best_find")(best, task.compute_dag.tensors, task.target)
                if found is not None:
                    self.best_costs[number] = found[1]

    def _sum(self, costs):
        return sum(weight * cost for weight, cost in zip(self.task_weights, costs))

    @property
    def cur_score(self):
        """The objective of the best costs."""
        return self.objective_func(self.best_costs)

    def tune(self, tune_option, search_policy="default", search_policy_params=None,
             adaptive_training=False, per_task_early_stopping=None):
        """Searches.

        Args:
            tune_option: a TuningOptions; its trials are those of all tasks together, its
                num_measures_per_round those of a turn, at most. With early_stopping it ends after so
                many trials that did not make the objective smaller.
            search_policy: "default", "sketch.xgb", "sketch.random", or a SketchPolicy for each task.
            search_policy_params, adaptive_training: for compatibility, without effect.
            per_task_early_stopping: a task ends after so many trials without a better one.

        Raises:
            LatheError: `auto-scheduler-policy`; `tune-same-failure` is a warning, and ends that
                task.
            KeyboardInterrupt: Ctrl-C; callbacks were called with each finished trial.
        """
        policies = self._policies(search_policy, tune_option.verbose)
        most = tune_option.num_measure_trials
        turn = max(1, min(tune_option.num_measures_per_round, most // len(self.tasks)))
        tried, ended = [0] * len(self.tasks), set()
        since = [0] * len(self.tasks)  # trials without a better one
        self.task_cts, self.ct, self.begun = [0] * len(self.tasks), 0, time.monotonic()
        self._scheduler = _get("tune.task_scheduler")([float(weight) for weight in self.task_weights])
        best_score, best_ct = math.inf, 0
        while self.ct < most and len(ended) < len(self.tasks):
            task = self._next(tried, ended)
            if task < 0:
                break
            for callback in self.callbacks if tune_option.verbose else ():
                callback.pre_tune(self, task)
            before = self.best_costs[task]
            done, over = self._turn(policies[task], task, min(turn, most - self.ct), tune_option)
            tried[task] += 1
            self.ct += done
            self.task_cts[task] += done
            _get("tune.scheduler_learn")(self._scheduler, task, done, self.best_costs[task])
            since[task] = 0 if self.best_costs[task] < before else since[task] + done
            if over or done == 0 or math.isinf(self.best_costs[task]) or (
                    per_task_early_stopping and since[task] >= per_task_early_stopping):
                ended.add(task)
                _get("tune.scheduler_end")(self._scheduler, task)
            for callback in self.callbacks:
                callback.post_tune(self, task)
            if self.cur_score < best_score or not math.isfinite(best_score):
                best_score, best_ct = self.cur_score, self.ct
            elif tune_option.early_stopping and self.ct - best_ct >= tune_option.early_stopping:
                break

    def _policies(self, given, verbose):
        if isinstance(given, (list, tuple)):
            if len(given) != len(self.tasks) or not all(isinstance(one, SearchPolicy) for one in given):
                raise LatheValueError("each task needs a policy of its own", "auto-scheduler-policy",
                                      f"expected: {len(self.tasks)} SketchPolicies")
            return list(given)
        before = [] if self.load_log_file is None else [PreloadMeasuredStates(self.load_log_file)]
        makers = {"default": default_policy,
                  "sketch.xgb": lambda task, **others: SketchPolicy(task, XGBModel(), **others),
                  "sketch.random": lambda task, **others: SketchPolicy(task, RandomModel(), **others)}
        if given not in makers:
            raise LatheValueError(f"there is no search policy {given!r}", "auto-scheduler-policy",
                                  f"expected: {', '.join(makers)}, or a SketchPolicy for each task")
        return [makers[given](task, verbose=0, init_search_callbacks=before) for task in self.tasks]

    def _next(self, tried, ended):
        """The task that goes on."""
        if self.strategy == "round-robin":
            return min((count, task) for task, count in enumerate(tried) if task not in ended)[1]
        if self.objective_func != self._sum and all(math.isfinite(cost) for cost in self.best_costs):
            whole = self.cur_score
            for task, cost in enumerate(self.best_costs):
                less = list(self.best_costs)
                less[task] = cost * (1 - _SMALL)
                slope = (whole - self.objective_func(less)) / (cost * _SMALL)
                _get("tune.scheduler_weigh")(self._scheduler, task, float(slope))
        return _get("tune.scheduler_next")(self._scheduler)

    def _turn(self, policy, task, trials, options):
        """Some trials of a task; returns how many there were, and whether the task ends."""
        done = 0

        def told(result):
            nonlocal done
            done += 1
            if result.error_no == 0:
                cost = statistics.median(result.costs)
                self.best_costs[task] = min(self.best_costs[task], cost)

        try:
            policy._search(options, trials, told)
        except LatheError as error:
            if error.name != "tune-same-failure":
                raise
            logger.warning("the search of %s ends: %s", self.tasks[task], error.message)
            return done, True
        return done, False

    def table(self, next_task=None):
        """The tasks and what was found so far, as text.

        Args:
            next_task: the one that goes on.
        """
        width = max([len("task")] + [len(task.desc or "task") for task in self.tasks])
        lines = [f"  {'ID':>3}  {'task':<{width}}  {'calls':>5}  {'latency (ms)':>12}  {'GFLOPS':>8}  "
                 f"{'trials':>6}"]
        for number, task in enumerate(self.tasks):
            cost = self.best_costs[number]
            known = math.isfinite(cost)
            latency = f"{cost * 1e3:.4f}" if known else "-"
            speed = f"{task.compute_dag.flop_ct / cost / 1e9:.2f}" if known else "-"
            mark = ">" if number == next_task else " "
            lines.append(f"{mark} {number:>3}  {task.desc or 'task':<{width}}  "
                         f"{self.task_weights[number]:>5}  {latency:>12}  {speed:>8}  "
                         f"{self.task_cts[number]:>6}")
        score = self.cur_score
        whole = f"{score * 1e3:.4f} ms" if math.isfinite(score) else "not known yet"
        lines.append(f"  estimated: {whole}; {self.ct} trials in {time.monotonic() - self.begun:.0f} s")
        return "\n".join(lines)
