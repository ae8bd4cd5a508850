"""A tuner with a model of costs: trees that are boosted by their gradients (XGBoost)."""

import logging
import math

try:
    import numpy as np
except ImportError:  # XGBTuner says so
    np = None

from ... import _ffi
from ...error import LatheError, LatheValueError
from ..measure import MeasureErrorNo
from .annealing import Annealing
from .features import (CURVE_LENGTH, FEATURE_TYPES, ITERVAR_LENGTH, KnobFeatures, curve_row,
                       itervar_row)
from .tuner import Tuner

_get = _ffi.get
logger = logging.getLogger("autotvm")
LOSS_TYPES = ("reg", "rank", "rank-binary")
_OF_SCHEDULES = {"itervar": (itervar_row, ITERVAR_LENGTH), "curve": (curve_row, CURVE_LENGTH)}
# Of the trials that a model chooses, the part that is drawn at random instead: a model is blind
# where nothing was measured.
_RANDOM_PART = 0.05


def _xgboost():
    try:
        import numpy  # noqa: F401
        import xgboost
    except ImportError as error:
        raise LatheError("XGBTuner needs the packages numpy and xgboost", "tune-no-xgboost",
                         f"expected: xgboost 1.7 or newer\nfound: {error}\nhelp: `pip install "
                         "xgboost-cpu` (or xgboost); GATuner learns without it") from None
    return xgboost


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

    def __init__(self, loss_type="reg", num_threads=None, seed=1):
        if loss_type not in LOSS_TYPES:
            raise LatheValueError(f"there is no loss type `{loss_type}`", "tune-loss-type",
                                  f"expected: {', '.join(LOSS_TYPES)}")
        self._xgboost = _xgboost()
        self._loss_type = loss_type
        self._parameters = {
            "objective": "reg:squarederror" if loss_type == "reg" else "rank:pairwise",
            "max_depth": 3, "gamma": 0.0001, "min_child_weight": 1, "subsample": 1.0, "eta": 0.3,
            "lambda": 1.0, "alpha": 0, "seed": seed, "verbosity": 0,
            "nthread": num_threads or 1, "tree_method": "hist"}
        self._trees = None

    def fit(self, rows, speeds, tasks):
        """Learns anew.

        Args:
            rows: an array, a row for each trial.
            speeds: of each trial, 0 if it failed.
            tasks: the number of its task for each trial.
        """
        order = np.argsort(np.asarray(tasks), kind="stable")
        rows, speeds = np.asarray(rows)[order], np.asarray(speeds, dtype=np.float64)[order]
        tasks = np.asarray(tasks)[order]
        labels = np.zeros(len(rows))
        for task in np.unique(tasks):
            mine = tasks == task
            best = speeds[mine].max()
            labels[mine] = speeds[mine] / best if best > 0 else 0.0
            if self._loss_type == "rank-binary":
                labels[mine] = labels[mine] > np.median(labels[mine])
        matrix = self._xgboost.DMatrix(rows, labels, nthread=self._parameters["nthread"])
        if self._loss_type != "reg":
            matrix.set_group(np.unique(tasks, return_counts=True)[1])
        self._trees = self._xgboost.train(self._parameters, matrix, num_boost_round=300)

    def predict(self, rows):
        """A number for each row: the higher, the faster."""
        return self._trees.inplace_predict(np.asarray(rows))


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

    def __init__(self, task, plan_size=64, feature_type="itervar", loss_type="reg",
                 num_threads=None, optimizer="sa", diversity_filter_ratio=None, log_interval=50, *,
                 seed=1):
        super().__init__(task)
        if feature_type not in FEATURE_TYPES:
            raise LatheValueError(f"there is no feature type `{feature_type}`", "tune-feature-type",
                                  f"expected: {', '.join(FEATURE_TYPES)}")
        if diversity_filter_ratio is not None and diversity_filter_ratio < 1:
            raise LatheValueError("diversity_filter_ratio must be below 1", "tune-diversity",
                                  "expected: None, or a number from 1 on, such as 1.25")
        if isinstance(optimizer, str) and optimizer != "sa":
            raise LatheValueError(f"there is no optimizer `{optimizer}`", "tune-optimizer",
                                  'expected: "sa", or an object with `best`')
        self._feature_type = feature_type
        self._knobs = KnobFeatures(task.config_space)
        self._model = XGBCostModel(loss_type, num_threads, seed)
        # Looking at a schedule takes a thousand times longer than looking at knobs.
        steps = 500 if feature_type == "knob" else 20
        walkers = 128 if feature_type == "knob" else plan_size
        self._optimizer = optimizer if optimizer != "sa" else Annealing(
            task.config_space, steps=steps, walkers=walkers, patience=50, seed=seed)
        self._diversity = diversity_filter_ratio
        self._plan_size = plan_size
        self._random = np.random.Generator(np.random.PCG64(seed))
        self._draws = _get("tune.tuner")(task.config_space._space, "random", [], seed)
        self._plan = []
        self._tried = set()
        self._cache = {}  # point -> row
        self._rows, self._speeds, self._tasks = [], [], []
        self._old_tasks = {}  # workload of history -> number; 0 is this task
        self._fitted = 0      # trials of this task that the model has seen

    def has_next(self):
        """Whether there is anything left to try."""
        if not self._plan:
            self._plan = self._drawn(1)
        return bool(self._plan)

    def next_batch(self, batch_size):
        """At most so many configurations: those that the model finds best, and a few at random."""
        chosen = []
        while len(chosen) < batch_size:
            if not self._plan or self._random.random() < _RANDOM_PART:
                points = self._drawn(1)
                if not points and not self._plan:
                    break
            else:
                points = [self._plan.pop(0)]
            for point in points:
                if point not in self._tried:
                    self._tried.add(point)
                    chosen.append(point)
        return [self.task.config_space._entity(list(point)) for point in chosen]

    def update(self, inputs, results):
        """Learns from a batch; after `plan_size` new trials makes a new plan."""
        for given, result in zip(inputs, results):
            point = self._point_of(given.config)
            if point is None:
                continue
            self._tried.add(point)
            self._learn(self._rows_of([point])[0], given.task.flop or self.task.flop, result, 0)
        mine = self._tasks.count(0)
        if mine - self._fitted >= self._plan_size and max(self._speeds) > 0:
            self._fitted = mine
            self._make_plan()

    def load_history(self, data_set, min_seed_records=500):
        """Learns from earlier trials, also of other tasks unless the features are "knob".

        Args:
            data_set: [(MeasureInput, MeasureResult)...].
            min_seed_records: with fewer of other tasks, those are not learned from.
        """
        own, others = [], []
        for given, result in data_set:
            if self._is_known(given, result):
                own.append((given, result))
            elif given.task.workload != self.task.workload:
                others.append((given, result))
        if self._feature_type != "knob" and len(others) >= min_seed_records:
            for given, result in others:
                row = self._row_of(given.task, given.config)
                if row is None:
                    continue
                number = self._old_tasks.setdefault(given.task.workload, 1 + len(self._old_tasks))
                self._learn(row, given.task.flop, result, number)
        if own:
            self.update([given for given, _ in own], [result for _, result in own])
        if self._speeds and max(self._speeds) > 0 and not self._plan:
            self._make_plan()
            logger.debug("begins with a model of %d earlier trials", len(self._speeds))

    def _learn(self, row, flop, result, task):
        ok = result.error_no == MeasureErrorNo.NO_ERROR
        self._rows.append(row)
        self._speeds.append((flop or 1) / (sum(result.costs) / len(result.costs)) if ok else 0.0)
        self._tasks.append(task)

    def _make_plan(self):
        self._model.fit(self._rows, self._speeds, self._tasks)
        ratio = self._diversity or 1.0
        best = self._optimizer.best(self._scores, math.ceil(self._plan_size * ratio), self._tried)
        best = [tuple(point) for point in best]
        self._plan = _diverse(best, self._plan_size) if self._diversity else best

    def _scores(self, points):
        return self._model.predict(self._rows_of(points))

    def _rows_of(self, points):
        if self._feature_type == "knob":
            return self._knobs.of_points(points)
        for point in points:
            if point not in self._cache:
                config = self.task.config_space._entity(list(point))
                self._cache[point] = self._row_of(self.task, config)
        # One without a schedule will fail if it is tried: a row unlike all others.
        none = np.full(_OF_SCHEDULES[self._feature_type][1], -1.0)
        return np.stack([none if self._cache[point] is None else self._cache[point]
                         for point in points])

    def _row_of(self, task, config):
        try:
            return _OF_SCHEDULES[self._feature_type][0](*task.instantiate(config))
        except LatheError:  # the configuration has no schedule, or the task of a log no template
            return None

    def _point_of(self, config):
        if config._point is not None:
            return tuple(config._point)
        if not 0 <= config.index < self.task.config_space._size():
            return None
        return tuple(_get("tune.space_point")(self.task.config_space._space, config.index))

    def _drawn(self, count):
        while True:
            points = [tuple(one) for one in _get("tune.tuner_propose")(self._draws, count)]
            fresh = [point for point in points if point not in self._tried]
            if fresh or not points:
                return fresh


def _diverse(points, count):
    """Of points from the best on, those that add candidates of knobs that the others have not."""
    chosen, rest, seen = [], list(points), set()
    while rest and len(chosen) < count:
        # The place in the order is the score; a new candidate of a knob is worth as much as the
        # way from the first place to the last.
        gains = [sum((i, one) not in seen for i, one in enumerate(point)) / max(len(point), 1)
                 - place / len(rest) for place, point in enumerate(rest)]
        point = rest.pop(int(np.argmax(gains)))
        seen.update(enumerate(point))
        chosen.append(point)
    return chosen
