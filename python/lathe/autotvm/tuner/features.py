"""Configurations and schedules as rows of numbers, from which a model of costs learns.

Counts and sizes are logarithms (of 1 + x), since times follow products of them.
"""

try:
    import numpy as np
except ImportError:  # XGBTuner says so
    np = None

from ...driver import explain
from ...error import LatheValueError
from ..task.space import AnnotateEntity, OtherOptionEntity, ReorderEntity, SplitEntity

FEATURE_TYPES = ("itervar", "knob", "curve")
_ANNOTATIONS = ("none", "unroll", "try_unroll", "vec", "try_vec", "vectorize", "parallel",
                "blockIdx.x", "threadIdx.x", "vthread")
_KINDS = ("serial", "parallel", "vectorized", "unrolled")
# Of each kernel: the stages with the most operations, and of each of them the innermost loops.
_STAGES, _LOOPS, _TOUCHES = 3, 10, 3
_MOST_TOUCHES = 1000  # more tensors than any loop has; each has columns of its own
# Where a curve is looked at: iterations of a loop and what is in it, as powers of two.
_CURVE = range(0, 31, 2)


def _log(value):
    return np.log2(1.0 + np.maximum(np.asarray(value, dtype=np.float64), 0.0))


def _row_of(entity, others):
    """A candidate of a knob; `others`: all candidates of the knob."""
    if isinstance(entity, SplitEntity):
        return _log([max(int(length), 0) for length in entity.size])
    if isinstance(entity, ReorderEntity):
        return np.asarray(entity.perm, dtype=np.float64)
    if isinstance(entity, AnnotateEntity):
        return np.asarray([_ANNOTATIONS.index(one) if one in _ANNOTATIONS else len(_ANNOTATIONS)
                           for one in entity.anns], dtype=np.float64)
    assert isinstance(entity, OtherOptionEntity)
    if all(isinstance(one.val, (bool, int, float)) for one in others):
        return np.asarray([float(entity.val)])
    return np.asarray([float(others.index(entity))])


class KnobFeatures:
    """Rows of a space's points: what each knob has chosen. Right for one space only.

    Example:
        >>> from lathe import autotvm
        >>> space = autotvm.ConfigSpace()
        >>> _ = space.define_split("tile", 8, num_outputs=2)
        >>> KnobFeatures(space).of_points([[3]]).tolist()
        [[0.0, 3.169925001442312]]
    """

    def __init__(self, space):
        self._tables = [np.stack([_row_of(one, entities) for one in entities])
                        for entities in space.space_map.values()]

    def of_points(self, points):
        """A row for each point (its position in each knob's candidates)."""
        points = np.asarray(points, dtype=np.int64).reshape(len(points), len(self._tables))
        if not self._tables:
            return np.zeros((len(points), 1))
        return np.concatenate([table[points[:, i]] for i, table in enumerate(self._tables)], axis=1)


def _value(amount):
    return 0.0 if isinstance(amount, str) else float(amount)  # a text: of symbolic extents


def _main_stages(explained):
    """The stages that compute, those with the most operations first."""
    stages = [one for one in explained["stages"] if "iterations" in one]
    return sorted(stages, key=lambda one: -_value(one["iterations"]))


def itervar_row(schedule, arguments):
    """What the loops of a schedule are and what they touch: extents, kinds, bytes, reuse.

    The numbers are those of `lathe.explain`. Rows of different programs have the same length, so
    that a model can learn from one program for another.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> len(itervar_row(te.create_schedule(B.op), [A, B])) == ITERVAR_LENGTH
        True
    """
    row = np.zeros((_STAGES, _STAGE_NUMBERS + _LOOPS * _LOOP_NUMBERS))
    for place, stage in enumerate(_main_stages(explain(schedule, arguments).data)[:_STAGES]):
        row[place] = stage_row(stage)
    return row.reshape(-1)


def stage_row(stage, touches=_TOUCHES):
    """A row of a stage as `lathe.explain` has it; `stage_names` says what its numbers are.

    Args:
        touches: of each loop the tensors of which most bytes are touched, so many of them.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> len(stage_rows(te.create_schedule(B.op), [A, B])[0]) == len(stage_names())
        True
    """
    touches = check_touches(touches)
    row = np.zeros(_STAGE_NUMBERS + _LOOPS * (_LOOP_NUMBERS - _TOUCHES + touches))
    row[:_STAGE_NUMBERS] = [
        _log(_value(stage["executions"])), _log(_value(stage["iterations"])),
        _log(_value(stage["points"])), _log(_value(stage["operations"])),
        stage["recompute"], len(stage["loops"]), stage["bodies"], stage["guarded_bodies"]]
    # From the inner to the outer: what is near the operations counts most.
    inside, levels = 1.0, {one["loop"]: one for one in stage["levels"]}
    begin = _STAGE_NUMBERS
    for loop in reversed(stage["loops"][-_LOOPS:]):
        extent = _value(loop["extent"])
        inside *= max(extent, 1.0)
        level = levels.get(loop["name"], {"touches": [], "working_set": 0, "traffic": 0,
                                          "executions": 0, "intensity": 0.0})
        touched = sorted((_value(one["bytes"]) for one in level["touches"]), reverse=True)
        touched = (touched + [0.0] * touches)[:touches]
        numbers = [_log(extent), _log(inside), float(loop["reduces"]),
                   _log(_value(level["executions"])), _log(_value(level["working_set"])),
                   _log(_value(level["traffic"])), level["intensity"],
                   *(float(loop["kind"] == kind) for kind in _KINDS),
                   float(loop["kind"] not in _KINDS), *_log(touched)]
        row[begin:begin + len(numbers)] = numbers
        begin += len(numbers)
    return row


def stage_rows(schedule, arguments, touches=_TOUCHES):
    """An array with a row for each stage that computes, those with the most iterations first.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> len(stage_rows(te.create_schedule(B.op), [A, B]))
        1
    """
    rows = [stage_row(one, touches) for one in _main_stages(explain(schedule, arguments).data)]
    return np.stack(rows) if rows else np.zeros((0, len(stage_names(touches))))


def check_touches(touches, name="touches"):
    """Returns `touches` if it is a number of tensors that rows may have columns for.

    Raises:
        LatheValueError: `auto-scheduler-features`: it is none; `name` is what the caller calls it.

    Example:
        >>> check_touches(5)
        5
    """
    if isinstance(touches, bool) or not isinstance(touches, (int, np.integer)) or not 0 <= touches <= _MOST_TOUCHES:
        raise LatheValueError(f"{name} must be a number of tensors", "auto-scheduler-features",
                              f"expected: a whole number from 0 to {_MOST_TOUCHES}\nfound: {touches!r}")
    return int(touches)


def stage_names(touches=_TOUCHES):
    """What the numbers of a stage's row are; loop0 is the innermost one.

    Example:
        >>> stage_names()[:2]
        ['log2_executions', 'log2_iterations']
    """
    names = ["log2_executions", "log2_iterations", "log2_points", "log2_operations", "recompute", "loops",
             "bodies", "guarded_bodies"]
    of_loops = ["log2_extent", "log2_iterations_inside", "reduces", "log2_executions", "log2_working_set",
                "log2_traffic", "intensity", *(f"is_{kind}" for kind in _KINDS), "is_of_another_kind",
                *(f"log2_bytes_of_tensor{i}" for i in range(check_touches(touches)))]
    return names + [f"loop{depth}.{name}" for depth in range(_LOOPS) for name in of_loops]


_STAGE_NUMBERS = 8
_LOOP_NUMBERS = 12 + _TOUCHES
ITERVAR_LENGTH = _STAGES * (_STAGE_NUMBERS + _LOOPS * _LOOP_NUMBERS)


def curve_row(schedule, arguments):
    """How much memory so many iterations touch, and how often it is fetched: a curve for each stage.

    It depends less on how many loops there are than `itervar_row`.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> len(curve_row(te.create_schedule(B.op), [A, B])) == CURVE_LENGTH
        True
    """
    row = np.zeros((_STAGES, 3 + 2 * len(_CURVE)))
    for place, stage in enumerate(_main_stages(explain(schedule, arguments).data)[:_STAGES]):
        levels = {one["loop"]: one for one in stage["levels"]}
        inside, samples = 1.0, [(0.0, 0.0, 0.0)]
        for loop in reversed(stage["loops"]):
            inside *= max(_value(loop["extent"]), 1.0)
            if loop["name"] in levels:
                level = levels[loop["name"]]
                samples.append((_log(inside), _log(_value(level["working_set"])),
                                _log(_value(level["traffic"]))))
        iterations, working_set, traffic = np.asarray(samples).T
        row[place] = [_log(_value(stage["operations"])), _log(_value(stage["points"])),
                      stage["recompute"], *np.interp(_CURVE, iterations, working_set),
                      *np.interp(_CURVE, iterations, traffic)]
    return row.reshape(-1)


CURVE_LENGTH = _STAGES * (3 + 2 * len(_CURVE))
