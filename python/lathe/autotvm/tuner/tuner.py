"""Tuners: they choose which configurations are tried.

How points of a space are chosen is the C++ side's (tune/tuner.h).
"""

import logging

from ... import _ffi
from ...error import LatheError
from .. import measure
from ..measure import MeasureErrorNo, MeasureInput

_get = _ffi.get
logger = logging.getLogger("autotvm")
_UNITS = {"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
# So many configurations are proposed before their costs are learned.
_BATCH = 8


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

    def __init__(self, task, **kwargs):
        self.param = kwargs
        self.task = task
        self.error_ct_threshold = 10
        self.n_trial = 0
        self._has_begun = False
        self.reset()

    def reset(self):
        """Forgets the best."""
        self.best_config = None
        self.best_flops = 0
        self.best_measure_pair = None
        self.best_iter = 0

    def has_next(self):
        """Whether there is anything left to try."""
        raise NotImplementedError(f"{type(self).__name__}.has_next")

    def next_batch(self, batch_size):
        """At most so many configurations that were not tried yet."""
        raise NotImplementedError(f"{type(self).__name__}.next_batch")

    def update(self, inputs, results):
        """Called with what was measured of a batch."""

    def load_history(self, data_set, min_seed_records=500):
        """Learns from earlier trials, [(MeasureInput, MeasureResult)...], before it begins.

        Those of this task and target are not tried again, unless their device was lost.
        """
        known = [(given, result) for given, result in data_set if self._is_known(given, result)]
        if known:
            self.update([given for given, _ in known], [result for _, result in known])

    def _is_known(self, given, result):
        """Whether an earlier trial says something about a configuration of this task."""
        known = (given.task.workload == self.task.workload and str(given.target) == str(self.task.target)
                 and result.error_no != MeasureErrorNo.UNKNOWN_ERROR)
        first = self.task.first
        if known and first is not None and given.config.index == first.index:
            self._has_begun = True
        return known

    def set_error_threshold(self, threshold):
        """After so many failures one after the other, all with one message, `tune` ends; 0: never."""
        self.error_ct_threshold = threshold

    def tune(self, n_trial, measure_option, early_stopping=None, callbacks=(), si_prefix="G"):
        """Searches.

        Args:
            n_trial: trials, at most.
            measure_option: of `autotvm.measure_option`.
            early_stopping: ends after so many trials without a better one.
            callbacks: called with (tuner, inputs, results) as soon as a trial is finished.
            si_prefix: of the operations per second in debug messages.

        Raises:
            LatheError: `tune-same-failure`: the last ten trials failed in the same way.
            KeyboardInterrupt: Ctrl-C; callbacks were called with each finished trial.
        """
        measure_batch = measure.create_measure_batch(self.task, measure_option)
        size = self.task.config_space._size()
        self.n_trial = n_trial = min(n_trial, size) if size >= 0 else n_trial
        early_stopping = early_stopping or n_trial + 1
        self.best_iter = 0  # of this search
        # All workers of a fleet have something to do while the next batch is chosen.
        batch = max(_BATCH, 2 * measure_batch.n_parallel) if measure_batch.elsewhere else _BATCH
        done, failures = 0, _SameFailures(self.error_ct_threshold)
        while done < n_trial:
            configs = self._begin() or (self.next_batch(min(batch, n_trial - done)) if self.has_next() else [])
            if not configs:
                break
            inputs = [MeasureInput(self.task.target, self.task, config) for config in configs]

            def told(position, result):
                nonlocal done
                done += 1
                given = inputs[position]
                self._compare(done, given, result, si_prefix)
                for callback in callbacks:
                    callback(self, [given], [result])
                failures.see(result)

            results = measure_batch(inputs, told)
            self.update(inputs, results)
            if done >= self.best_iter + early_stopping:
                logger.debug("ends after %d trials without a better one", early_stopping)
                break

    def _begin(self):
        """[the task's first configuration], unless it was tried."""
        first = self.task.first
        if first is None or self._has_begun:
            return []
        self._has_begun = True
        return [first]

    def _compare(self, number, given, result, si_prefix):
        flops = 0
        if result.error_no == MeasureErrorNo.NO_ERROR:
            # Without a count of operations the inverse of the time does.
            flops = (self.task.flop or 1) / (sum(result.costs) / len(result.costs))
            if flops > self.best_flops:
                self.best_flops, self.best_config, self.best_iter = flops, given.config, number
                self.best_measure_pair = (given, result)
        unit = _UNITS[si_prefix]
        logger.debug("No: %d\t%sFLOPS: %.2f/%.2f\tresult: %s\t%s", number, si_prefix, flops / unit,
                     self.best_flops / unit, result, given.config)


class _SameFailures:
    """Ends a search in which every trial fails in the same way: the next one would, too."""

    def __init__(self, most):
        self._most, self._count, self._last = most, 0, None

    def see(self, result):
        if result.error_no == MeasureErrorNo.NO_ERROR:
            self._count = 0
            return
        error = result.costs[0]
        what = f"{error.kind}: {error.message}".split("\n", 1)[0]
        self._count = self._count + 1 if what == self._last else 1
        self._last = what
        if self._most and self._count >= self._most:
            raise LatheError(f"the last {self._count} candidates failed in the same way: {what}",
                             "tune-same-failure", "help: mend that, or call set_error_threshold(0) "
                             f"to go on in spite of it\n{error.message}")


class SpaceTuner(Tuner):
    """A tuner of the C++ side: `name` is random, grid or genetic.

    Example:
        >>> from lathe import autotvm
        >>> issubclass(autotvm.tuner.GATuner, autotvm.tuner.tuner.SpaceTuner)
        True
    """

    def __init__(self, task, name, options=(), seed=1):
        super().__init__(task)
        self._tuner = _get("tune.tuner")(task.config_space._space, name, list(options), seed)
        self._ahead = []

    def has_next(self):
        """Whether there is anything left to try."""
        self._ahead = self._ahead or list(_get("tune.tuner_propose")(self._tuner, 1))
        return bool(self._ahead)

    def next_batch(self, batch_size):
        """At most so many configurations that were not tried yet."""
        points = self._ahead[:batch_size]
        self._ahead = self._ahead[batch_size:]
        if len(points) < batch_size:
            points += _get("tune.tuner_propose")(self._tuner, batch_size - len(points))
        return [self.task.config_space._entity(list(point)) for point in points]

    def update(self, inputs, results):
        """Learns the costs of a batch."""
        points, costs = [], []
        for given, result in zip(inputs, results):
            point = given.config._point
            if point is None:  # from a log
                if not 0 <= given.config.index < self.task.config_space._size():
                    continue
                point = list(_get("tune.space_point")(self.task.config_space._space,
                                                      given.config.index))
            points.append(point)
            ok = result.error_no == MeasureErrorNo.NO_ERROR
            costs.append(sum(result.costs) / len(result.costs) if ok else float("inf"))
        _get("tune.tuner_learn")(self._tuner, points, costs)


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

    def __init__(self, task, range_idx=None, *, seed=1):
        _whole(range_idx)
        super().__init__(task, "random", seed=seed)


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

    def __init__(self, task, range_idx=None):
        _whole(range_idx)
        super().__init__(task, "grid")


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

    def __init__(self, task, pop_size=100, elite_num=3, mutation_prob=0.1, *, seed=1):
        super().__init__(task, "genetic", [float(pop_size), float(elite_num), float(mutation_prob)],
                         seed)


def _whole(range_idx):
    if range_idx is not None:
        raise LatheError("a part of a space cannot be searched alone", "tune-range",
                         "expected: range_idx=None\nhelp: multi_filter leaves configurations out")
