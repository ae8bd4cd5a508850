"""How states are chosen: policies, and the models of costs that they use."""

import json
import logging

from .. import _ffi, te
from ..autotvm.measure import (LocalRunner, MeasureError, MeasureErrorNo, MeasureInput, MeasureResult,
                               create_measure_batch, failure_number, measure_option)
from ..autotvm.tuner import GATuner, GridSearchTuner, XGBTuner, callback
from ..error import LatheError, LatheTypeError
from ._points import SKETCH, ManyPoints, ManyTuner, Points
from .loop_state import State
from .measure import MeasureInput as StateInput
from .sketch import PreloadCustomSketchRule, sketches_of

_get = _ffi.get
logger = logging.getLogger("auto_scheduler")
_DEFAULT = {"schedule": "default"}  # the knobs of the schedule that a build has without records


class RandomModel:
    """No model: a search evolves from what was measured.

    Example:
        >>> from lathe import auto_scheduler
        >>> isinstance(auto_scheduler.RandomModel(), auto_scheduler.RandomModel)
        True
    """


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

    def __init__(self, verbose_eval=25, num_warmup_sample=100, seed=None, model_file=None,
                 adaptive_training=False):
        self.seed = seed
        self._files = []

    def update_from_file(self, file_name, n_lines=None):
        """Learns from the records of a file (`RecordToFile`) when a search begins.

        Args:
            n_lines: for compatibility, without effect: all records of the task count.
        """
        self._files.append(str(file_name))


class PreloadMeasuredStates:
    """For `SketchPolicy`: the search goes on from the records of a file.

    Args:
        filename: a file of `RecordToFile`.

    Example:
        >>> from lathe import auto_scheduler
        >>> auto_scheduler.PreloadMeasuredStates("tune.jsonl").filename
        'tune.jsonl'
    """

    def __init__(self, filename):
        self.filename = str(filename)


class SearchPolicy:
    """Base of the policies.

    Example:
        >>> from lathe import auto_scheduler
        >>> issubclass(auto_scheduler.SketchPolicy, auto_scheduler.SearchPolicy)
        True
    """

    def __init__(self, task):
        self.search_task = task


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

    def __init__(self, task, program_cost_model=None, params=None, seed=None, verbose=1,
                 init_search_callbacks=None):
        super().__init__(task)
        self._sketches = []  # for rules that look
        self._model = program_cost_model or RandomModel()
        self._verbose = verbose
        if not isinstance(self._model, (RandomModel, XGBModel)):
            raise LatheTypeError("this is no model of costs", "auto-scheduler-model",
                                 f"expected: an XGBModel or a RandomModel\nfound: {self._model!r}")
        callbacks = list(init_search_callbacks or ())
        for one in callbacks:
            if not isinstance(one, (PreloadMeasuredStates, PreloadCustomSketchRule)):
                raise LatheTypeError("this is no callback of a search's beginning",
                                     "auto-scheduler-callback", "expected: a PreloadMeasuredStates or a "
                                     f"PreloadCustomSketchRule\nfound: {one!r}")
        # The default schedule is the first trial: a search never ends with less.
        self._default = Points(task, _get("tune.kernel_schedule", True)(
            task.compute_dag.tensors, task.target, [], []), _DEFAULT)
        self._make_spaces([one for one in callbacks if isinstance(one, PreloadCustomSketchRule)], seed)
        files = [one.filename for one in callbacks if isinstance(one, PreloadMeasuredStates)]
        for path in dict.fromkeys(files + list(getattr(self._model, "_files", ()))):
            self._tuner.load_history(self._records(path))

    def _make_spaces(self, rules, seed):
        """What is searched, and with which tuner."""
        task = self.search_task
        self._sketches, without = [], True
        if rules:
            self._sketches, without = sketches_of(rules, self, task.compute_dag.get_init_state())
        built_in = Points(task) if without else None
        self._spaces = {}
        if without and built_in.config_space.space_map:  # else there is nothing to choose
            self._spaces[None] = built_in
            self._sketches = [one for one in self._sketches if one.state._steps]  # it has such points
        self._spaces.update({one.name: Points(task, sketch=one) for one in self._sketches})
        if not self._spaces:  # the default schedule is all there is
            self._points, self._tuner = built_in, ManyTuner(built_in, {})
        elif list(self._spaces) == [None]:
            self._points = self._spaces[None]
            self._tuner = self._tuner_of(self._points, seed)
        else:
            self._points = ManyPoints(self._spaces)
            self._tuner = ManyTuner(self._points, {name: self._tuner_of(one, seed)
                                                   for name, one in self._spaces.items()})

    def _tuner_of(self, points, seed):
        if isinstance(self._model, XGBModel):
            seed = self._model.seed if seed is None else seed
            return XGBTuner(points, feature_type="itervar", loss_type="rank",
                            seed=1 if seed is None else seed)
        return GATuner(points, pop_size=32, seed=1 if seed is None else seed)

    def generate_sketches(self, print_for_debug=False):
        """The sketches of rules ([State]). In the built-in space rules are knobs: it has no such list.

        Args:
            print_for_debug: prints them, too.
        """
        states = [one.state.copy() for one in self._sketches]
        if print_for_debug:
            for state in states:
                print(state, end="\n\n")
        return states

    def _records(self, path):
        """[(MeasureInput, MeasureResult)...] of the task's records in a file."""
        pairs = []
        for text, seconds, kind in _get("tune.records_of", True)(
                path, self.search_task.compute_dag.tensors, self.search_task.target):
            knobs = json.loads(text)
            if knobs == _DEFAULT and not kind:
                self._default = None  # is known
            sketch = knobs.get(SKETCH) if isinstance(knobs, dict) else ""
            space = self._spaces.get(sketch) if sketch is None or isinstance(sketch, str) else None
            config = None if space is None else space.of(knobs)
            if config is None:
                continue  # of another space
            number = failure_number(kind) if kind else MeasureErrorNo.NO_ERROR
            costs = (MeasureError("as recorded", kind),) if kind else tuple(seconds)
            pairs.append((MeasureInput(self._points.target, self._points, config),
                          MeasureResult(costs, number, 0.0, 0.0)))
        return pairs

    def _search(self, options, trials=None, heard=None):
        """Some trials: by default those of the options. `heard` is called with each result."""
        task = self.search_task
        early_stopping = options.early_stopping if trials is None else None  # of turns: who takes them
        trials = options.num_measure_trials if trials is None else trials
        self.runs_here = isinstance(options.runner, LocalRunner)

        def told(_, inputs, results):
            states = []
            for given, result in zip(inputs, results):
                failed = getattr(result.costs[0], "kind", "") if result.error_no != 0 else ""
                schedule = None if failed == "schedule" else given.task.instantiate(given.config)[0]
                knobs = given.config.get_other_option() if given.task.knobs is None else given.task.knobs
                states.append(StateInput(task, State(dict(knobs), schedule)))
                if heard is not None:
                    heard(result)
            for one in options.measure_callbacks:
                one.callback(self, states, results)

        callbacks = [told]
        if options.verbose and self._verbose:
            callbacks.append(callback.progress_bar(trials))
        option = measure_option(options.builder, options.runner)
        if trials > 0 and self._default is not None:
            given = MeasureInput(task.target, self._default, self._default.config_space.get(0))
            self._default, trials = None, trials - 1
            for result in create_measure_batch(given.task, option)([given]):
                for one in callbacks:
                    one(self._tuner, [given], [result])
        if trials > 0:
            self._tuner.tune(trials, option, early_stopping=early_stopping, callbacks=callbacks)


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

    def __init__(self, task, init_search_callbacks=None):
        SearchPolicy.__init__(self, task)
        self._verbose = 1
        self._points = Points(task, te.create_schedule(task.compute_dag.outputs), {})
        self._default, self._sketches = None, []
        self._tuner = GridSearchTuner(self._points)


def default_policy(task, **options):
    """A SketchPolicy with an XGBModel, or without a model where xgboost is not installed.

    Args:
        options: further arguments of SketchPolicy.

    Example:
        >>> from lathe.auto_scheduler import search_policy
        >>> callable(search_policy.default_policy)
        True
    """
    try:
        return SketchPolicy(task, XGBModel(), **options)
    except LatheError as error:
        if error.name != "tune-no-xgboost":
            raise
        logger.warning("without the package xgboost the search evolves without a model of costs")
        return SketchPolicy(task, RandomModel(), **options)
