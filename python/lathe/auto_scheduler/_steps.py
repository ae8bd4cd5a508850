"""Steps of a state: calls in numbers, so that they can be done again with other lengths of loops."""

import math

from .. import te
from ..error import LatheError

_SPLITS = ("split", "follow_split", "follow_fused_split")


class Step:
    """One call of a state.

    Args:
        kind: the method.
        stage: the number of its stage at that time.
        arguments: numbers of stages, positions of loops, lengths, words.
        text: how people read it.
    """

    __slots__ = ("kind", "stage", "arguments", "text")

    def __init__(self, kind, stage, arguments, text):
        self.kind, self.stage, self.arguments, self.text = kind, stage, tuple(arguments), text

    def is_free(self):
        """Whether it is a split that has lengths which nobody has chosen yet."""
        return self.kind == "split" and None in self.arguments[1]

    def with_lengths(self, lengths):
        """The same split with other lengths."""
        position, _, inner_to_outer = self.arguments
        return Step("split", self.stage, (position, tuple(lengths), inner_to_outer),
                    f"{self.text.partition('[')[0]}{list(lengths)}{self.text.rpartition(']')[2]}")

    def __str__(self):
        return f"{self.kind}({self.text})"

    __repr__ = __str__


def _product(lengths):
    return None if None in lengths else math.prod(lengths)


def lengths_of(steps, step):
    """(lengths, whether they count from the inner loop) of a split, or of one that follows others."""
    if step.kind == "split":
        return step.arguments[1:]
    if step.kind == "follow_split":
        _, source, count = step.arguments
        lengths = steps[source].arguments[1]
        return (*lengths[:count - 1], _product(lengths[count - 1:])), True
    _, sources, level, factor = step.arguments
    return (_product([steps[one].arguments[1][level] for one in sources]),), factor


def _split(schedule, stage, steps, step):
    """The loops. Lengths that nobody has chosen are 1: the program is right with any."""
    axis = stage.leaf_iter_vars[step.arguments[0]]
    lengths, inner_to_outer = lengths_of(steps, step)
    parts = []
    for length in reversed(lengths) if inner_to_outer else lengths:
        if inner_to_outer:
            axis, part = stage.split(axis, factor=length or 1)
        else:
            part, axis = stage.split(axis, nparts=length or 1)
        parts.append(part)
    return [axis] + parts[::-1] if inner_to_outer else parts + [axis]


def _fuse(schedule, stage, steps, step):
    axes = stage.leaf_iter_vars
    return [stage.fuse(*(axes[one] for one in step.arguments[0]))]


def _reorder(schedule, stage, steps, step):
    axes = stage.leaf_iter_vars
    stage.reorder(*(axes[one] for one in step.arguments[0]))


def _annotate(schedule, stage, steps, step):
    axis = stage.leaf_iter_vars[step.arguments[0]]
    getattr(stage, step.kind)(axis, *step.arguments[1:])
    return [axis]


def _bind(schedule, stage, steps, step):
    axis = stage.leaf_iter_vars[step.arguments[0]]
    stage.bind(axis, te.thread_axis(step.arguments[1]))
    return [axis]


def _tensorize(schedule, stage, steps, step):
    position, name = step.arguments
    axis = stage.leaf_iter_vars[position]
    make = _get_intrinsic(name) if isinstance(name, str) else None
    stage.tensorize(axis, name if make is None else make())
    return [axis]


def _get_intrinsic(name):
    """A registered function that makes an intrinsic; None: it may be an intrinsic's own name."""
    from .. import get_global_func

    return get_global_func(name, allow_missing=True)


def _compute_at(schedule, stage, steps, step):
    target = schedule.stages[step.arguments[0]]
    stage.compute_at(target, target.leaf_iter_vars[step.arguments[1]])


def _outputs(stage):
    return [stage.op.output(i) for i in range(stage.op.num_outputs)]


def _cache_read(schedule, stage, steps, step):
    scope, readers = step.arguments
    stages = schedule.stages
    return schedule.cache_read(_outputs(stage)[0], scope, [stages[one].op for one in readers]).op


def _cache_write(schedule, stage, steps, step):
    return schedule.cache_write(_outputs(stage), step.arguments[0])[0].op


def _rfactor(schedule, stage, steps, step):
    position, factor_axis = step.arguments
    made = schedule.rfactor(_outputs(stage)[0], stage.leaf_iter_vars[position], factor_axis)
    return (made[0] if isinstance(made, (list, tuple)) else made).op


_PERFORM = {
    "split": _split, "follow_split": _split, "follow_fused_split": _split, "fuse": _fuse,
    "reorder": _reorder, "parallel": _annotate, "vectorize": _annotate, "unroll": _annotate,
    "pragma": _annotate, "storage_align": _annotate, "bind": _bind, "tensorize": _tensorize,
    "compute_at": _compute_at, "cache_read": _cache_read, "cache_write": _cache_write,
    "compute_inline": lambda schedule, stage, steps, step: stage.compute_inline(),
    "compute_root": lambda schedule, stage, steps, step: stage.compute_root(),
    "rfactor": _rfactor,
}


def perform(schedule, steps, step):
    """Does a step: returns the loops that it made, the operation that it added, or None."""
    return _PERFORM[step.kind](schedule, schedule.stages[step.stage], steps, step)


def loops_of(stage):
    """(stage, loop) of each present loop: names, which copies of a schedule share."""
    return [(stage.name, stage.axis_name(axis)) for axis in stage.leaf_iter_vars]


def free_loops(schedule, steps, step, made, before, free):
    """What a step adds to the loops whose lengths depend on a free choice.

    Args:
        made: what it returned.
        before: `loops_of` its stage before it.
        free: the loops that were free before.
    """
    stage = schedule.stages[step.stage]
    if step.kind in _SPLITS:
        lengths, inner_to_outer = lengths_of(steps, step)
        parts = [length is None for length in lengths]
        rest = any(parts) or before[step.arguments[0]] in free
        flags = [rest] + parts if inner_to_outer else parts + [rest]
    elif step.kind == "fuse":
        flags = [any(before[one] in free for one in step.arguments[0])]
    elif step.kind == "rfactor" and free.intersection(before):
        # The new stage, which stands before the old one, has its loops.
        return set(loops_of(stage)) | set(loops_of(schedule.stages[step.stage + 1]))
    else:
        return set()
    return {(stage.name, stage.axis_name(axis)) for axis, is_free in zip(made, flags) if is_free}


_WORDS = {"parallel": "parallel", "vectorize": "vectorize", "unroll": "unroll",
          "tensorize": "tensorize"}


def annotations(schedule):
    """{stage.loop: word} of the loops that are not plain, from the schedule's trace."""
    words = {}
    for step in schedule.trace:
        if step.primitive in _WORDS:
            words[_text(step.operands["axis"])] = _WORDS[step.primitive]
        elif step.primitive == "bind":
            words[_text(step.operands["axis"])] = _text(step.operands["thread"])
    return words


def successors(schedule):
    """{stage.loop: the one in which a stage is computed that was to be computed in it}.

    Loops that are split or fused are no more; what is in them is then in the innermost of those that
    took their place.
    """
    found = {}
    for step in schedule.trace:
        if step.primitive == "split":
            found[_text(step.operands["axis"])] = _text(step.results[-1])
        elif step.primitive == "fuse":
            made = _text(step.results[0])
            axes = map(_text, step.operands["axes"].args)
            found.update((axis, made) for axis in axes if axis != made)  # one loop alone stays
    return found


def _text(operand):
    return operand if isinstance(operand, str) else operand.value


def ranges(schedule):
    """{(stage, loop): Range} of the present loops; raises what finding them raises."""
    bounds, found = te.schedule.infer_bound(schedule), {}
    for stage in schedule.stages:
        for axis in stage.leaf_iter_vars:
            if axis in bounds:
                found[stage.name, stage.axis_name(axis)] = bounds[axis]
    return found


def extent_of(span):
    """The extent of a Range as a number; None if it is none, or not known."""
    extent = getattr(span, "extent", None)
    value = getattr(extent, "value", extent)
    return value if isinstance(value, int) else None


def known_ranges(schedule):
    """As `ranges`; none of them while the schedule is one that cannot be lowered."""
    try:
        return ranges(schedule)
    except LatheError:  # lowering says it better, when it comes to that
        return {}
