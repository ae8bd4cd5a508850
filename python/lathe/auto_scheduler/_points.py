"""Spaces of a search task as autotvm's tuners see them."""

from .. import _ffi
from ..autotvm import task as _autotvm_task
from ..autotvm.task.space import ConfigSpace
from ..autotvm.tuner import Tuner

_get = _ffi.get
SKETCH = "sketch"  # the knob that says which sketch of a rule it is; points without it are built in


class Points(_autotvm_task.Task):
    """The points of one space: of a task, or of a sketch.

    `only`: a schedule; it is the only point. `knobs`: what its state has for them.
    """

    def __init__(self, task, only=None, knobs=None, sketch=None):
        super().__init__(task.desc or "sketch", (task.compute_dag.workload_key(),), task.target)
        self._tensors = task.compute_dag.tensors
        self.flop = task.compute_dag.flop_ct
        self.config_space = ConfigSpace()
        self._only, self.knobs, self._sketch = only, knobs, sketch
        self._layout_free = task._pre_transformed()
        if sketch is not None:
            self.config_space.define_knob(SKETCH, [sketch.name])
            for name, candidates in sketch.knobs.items():
                self.config_space.define_knob(name, candidates)
        elif only is None:
            knobs = _get("tune.sketch_knobs", True)(self._tensors, task.target, self._layout_free)
            self.first = self.config_space._add_knobs(knobs)

    @property
    def func(self):
        """There is no template."""
        return None

    def instantiate(self, config):
        """The schedule of a point, and the function's arguments."""
        if self._only is not None:
            return self._only, self._tensors
        knobs = config.get_other_option()
        if self._sketch is not None:
            return self._sketch.fill(knobs).schedule, self._tensors
        schedule = _get("tune.sketch_schedule", True)(
            self._tensors, self.target, list(knobs), list(knobs.values()), self._layout_free)
        return schedule, self._tensors

    def for_measuring(self, config):
        """The same, but inputs whose layout may change are in it before the call."""
        schedule, tensors = self.instantiate(config)
        return (schedule.pre_transform(self._layout_free) if self._layout_free else schedule), tensors

    def of(self, knobs):
        """The point that has these knobs, as a configuration; None if they are of another space."""
        point = []
        for name, entities in self.config_space.space_map.items():
            values = [one.val for one in entities]
            if knobs.get(name) not in values:
                return None
            point.append(values.index(knobs[name]))
        return self.config_space._entity(point)


class _Size:
    """As much of a ConfigSpace as `Tuner.tune` asks for."""

    def __init__(self, sizes):
        self._sizes = sizes

    def _size(self):
        return -1 if min(self._sizes) < 0 else sum(self._sizes)


class ManyPoints(_autotvm_task.Task):
    """The points of several spaces, each named by its sketch, or by None for the built-in one."""

    def __init__(self, spaces):
        self.spaces = spaces
        first = next(iter(spaces.values()))
        super().__init__(first.name, first.args, first.target)
        self.flop, self.knobs = first.flop, None
        self.first = spaces[None].first if None in spaces else None
        self.config_space = _Size([one.config_space._size() for one in spaces.values()])

    @property
    def func(self):
        """There is no template."""
        return None

    def instantiate(self, config):
        """The schedule of a point, and the function's arguments."""
        return self.spaces[config.get_other_option().get(SKETCH)].instantiate(config)

    def for_measuring(self, config):
        """What is compiled to measure it."""
        return self.spaces[config.get_other_option().get(SKETCH)].for_measuring(config)


class ManyTuner(Tuner):
    """Searches several spaces, each with a tuner of its own.

    Spaces take turns; every second turn is that of the one with the best trial so far.

    Args:
        task: a ManyPoints.
        tuners: {sketch or None: Tuner}.
    """

    def __init__(self, task, tuners):
        super().__init__(task)
        self._tuners, self._best = tuners, {}  # sketch -> its least cost
        self._turn = 0

    def has_next(self):
        """Whether there is anything left to try."""
        return any(one.has_next() for one in self._tuners.values())

    def next_batch(self, batch_size):
        """At most so many configurations that were not tried yet."""
        chosen = []
        while len(chosen) < batch_size:
            going = [name for name, one in self._tuners.items() if one.has_next()]
            if not going:
                break
            known = [name for name in going if name in self._best]
            turn, self._turn = self._turn, self._turn + 1
            name = going[turn // 2 % len(going)]
            if turn % 2 == 1 and known:
                name = min(known, key=self._best.get)
            chosen += self._tuners[name].next_batch(1)
        return chosen

    def update(self, inputs, results):
        """Learns from a batch."""
        for name, tuner in self._tuners.items():
            mine = [(given, result) for given, result in zip(inputs, results)
                    if given.config.get_other_option().get(SKETCH) == name]
            for _, result in mine:
                if result.error_no == 0:
                    cost = sum(result.costs) / len(result.costs)
                    self._best[name] = min(cost, self._best.get(name, cost))
            if mine:
                tuner.update([given for given, _ in mine], [result for _, result in mine])

    def load_history(self, data_set, min_seed_records=500):
        """Learns from earlier trials before it begins."""
        for name, tuner in self._tuners.items():
            tuner.load_history([pair for pair in data_set
                                if pair[0].config.get_other_option().get(SKETCH) == name])
        self._has_begun = any(one._has_begun for one in self._tuners.values())
