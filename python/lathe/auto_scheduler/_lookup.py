"""What names a stage, a loop or a step of a state, and errors that say what would."""

import operator

from .. import _nodes
from ..error import LatheTypeError, LatheValueError
from . import _steps


def stage_name(state, number):
    """The name of a stage."""
    return state.schedule.stages[number].name


def loop_name(iterator):
    """The name of a loop with its stage's."""
    return f"{iterator.stage_name}.{iterator.name}"

_LONGEST = (1 << 63) - 1  # 64 bits


def whole_of(given):
    """A whole number, also one of NumPy's, as an int; None if it is none."""
    try:
        return operator.index(given)
    except TypeError:
        return None


def names_of(operations):
    """Their names, as errors show them."""
    return ", ".join(f"`{one.name}`" for one in operations)


def number_of(state, key):
    """The number of a stage that a number, an operation, a tensor or a stage names."""
    stages, number = state._made().stages, None if isinstance(key, bool) else whole_of(key)
    if number is not None:
        if 0 <= number < len(stages):
            return number
        raise LatheValueError("there is no stage of this number", "auto-scheduler-stage",
                              f"expected: 0 to {len(stages) - 1}\nfound: {key}")
    if hasattr(key, "iters"):
        names = [one.name for one in stages]
        if key.name in names:
            return names.index(key.name)
        raise LatheValueError(f"this state has no stage `{key.name}`", "auto-scheduler-stage",
                              f"expected: one of {', '.join(names)}\nfound: a stage of another state")
    if not isinstance(key, _nodes.CLASSES["Tensor"]) and not hasattr(key, "num_outputs"):
        raise LatheTypeError("this names no stage", "auto-scheduler-stage",
                             f"expected: a number, an operation or a tensor\nfound: {key!r}")
    return list(stages).index(state.schedule[key])


def loop_at(state, stage, iterator):
    """(number of the stage, position of the loop in it)."""
    from .loop_state import Iterator

    number = number_of(state, stage)
    made = state.schedule.stages[number]
    loops = _steps.loops_of(made)
    if not isinstance(iterator, Iterator):
        raise LatheTypeError("this is no loop of a state", "auto-scheduler-iterator",
                             f"expected: one of state[stage].iters\nfound: {iterator!r}")
    if not loops:
        raise LatheValueError(f"stage `{made.name}` has no loops", "auto-scheduler-iterator",
                              f"expected: a stage that computes\nfound: {loop_name(iterator)}\n"
                              f"help: this loop is of stage `{iterator.stage_name}`")
    if (iterator.stage_name, iterator.name) not in loops:
        raise LatheValueError(
            f"stage `{made.name}` has no loop `{loop_name(iterator)}`", "auto-scheduler-iterator",
            f"expected: one of {', '.join(name for _, name in loops)}\n"
            f"found: {loop_name(iterator)}\n"
            + ("help: loops that were split or fused are no more; state[stage].iters has those of now"
               if iterator.stage_name == made.name else
               f"help: this loop is of stage `{iterator.stage_name}`"))
    return number, loops.index((iterator.stage_name, iterator.name))


def loops_at(state, stage, iters):
    """(number of the stage, positions of the loops in it)."""
    if not isinstance(iters, (list, tuple)) or not iters:
        raise LatheTypeError("these are no loops of a state", "auto-scheduler-iterator",
                             f"expected: a list of state[stage].iters\nfound: {iters!r}")
    places = [loop_at(state, stage, one) for one in iters]
    return places[0][0], tuple(position for _, position in places)


def source_of(state, step_id):
    """The number of a split among the steps of this state's own."""
    steps, number = state.transform_steps, whole_of(step_id)
    own = -1 if number is None else number - (len(steps) - len(state._steps))
    if not 0 <= own < len(state._steps) or state._steps[own].kind != "split":
        found = steps[number] if number is not None and 0 <= number < len(steps) else step_id
        raise LatheValueError("this is no split that a loop could follow", "auto-scheduler-step",
                              "expected: the position of a `split` in transform_steps\n"
                              f"found: {found}\nhelp: len(state.transform_steps) - 1 after the split")
    return own


def checked_lengths(lengths):
    """The lengths of a split: numbers, and None for those that a search chooses."""
    known = []
    for one in lengths if isinstance(lengths, (list, tuple)) else ():
        length = getattr(one, "value", one)
        known.append(length if length is None or isinstance(length, bool) else whole_of(length) or 0)
    if not known or not all(one is None or (one is not True and 0 < one <= _LONGEST) for one in known):
        raise LatheTypeError("a split needs lengths of loops", "auto-scheduler-step",
                             f"expected: a list of whole numbers from 1 to {_LONGEST}; None for a free "
                             f"choice\nfound: {lengths!r}")
    return tuple(known)


def checked_whole(number, what, least, most):
    """The number as an int; raises unless it is a whole one in the range."""
    whole = whole_of(number)
    if whole is None or not least <= whole <= most:
        raise LatheValueError(f"{what} does not fit the split that is followed", "auto-scheduler-step",
                              f"expected: {least} to {most}\nfound: {number!r}")
    return whole
