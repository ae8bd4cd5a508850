"""Written by python/stubs/make_stubs.py."""

from typing import Any, NamedTuple
from lathe.te.schedule import Schedule as Schedule

class Choice(NamedTuple):
    """How an operator with schedules of its own was scheduled.

    Attributes:
        operation: the operator's name in the program.
        by: the template that scheduled it; "" for the default schedule.
        not_by: the templates that were tried before, each with the reason why it does not fit.

    Example:
        >>> from lathe import te, topi
        >>> topi.schedule(topi.softmax(te.placeholder((8, 1000)))).choices[0].by
        'softmax'
    """
    operation: str
    by: str
    not_by: tuple[str, ...]

class Knob(NamedTuple):
    """A number that a schedule chooses by itself, or that a configuration sets.

    Attributes:
        name: "template.choice".
        value: the value that the schedule used.
        otherwise: the value that it uses if no configuration sets it. It may depend on shapes and
            machine.
        low: the least value that a configuration may set.
        high: the greatest.
        what: the meaning of the number, with its unit.

    Example:
        >>> from lathe import te, topi
        >>> [knob.name for knob in topi.schedule(topi.softmax(te.placeholder((8, 1000)))).knobs]
        ['softmax.vectors', 'softmax.reduction_vectors']
    """
    name: str
    value: int
    otherwise: int
    low: int
    high: int
    what: str

class Scheduled(NamedTuple):
    """A schedule, with the choices and knobs behind it.

    Attributes:
        schedule: the Schedule. More primitives may be applied to it.
        choices: a Choice for every operator that was found, in the order of the stages.
        knobs: a Knob for every number that was chosen. A tuner searches over these.

    Example:
        >>> from lathe import te, topi
        >>> topi.schedule(topi.softmax(te.placeholder((8, 1000)))).schedule.stages[0].name
        'placeholder'
    """
    schedule: Schedule
    choices: tuple[Choice, ...]
    knobs: tuple[Knob, ...]

def schedule(outputs: Any, target: Any = ..., config: Any = ...) -> Scheduled:
    """The schedule that `lathe.build` makes for a program without one, and the choices behind it.

    Args:
        outputs: a tensor, an operation, or a list of them.
        target: text, dict or Target; by default the current target, else this processor's.
        config: values of knobs by name, `{"gemm.tile_rows": 6}`; other knobs get their default
            values.

    Returns:
        A Scheduled.

    Raises:
        LatheError: `topi-unknown-knob` for a knob that this program's schedule does not use (the
            error lists the knobs that it uses), `topi-knob-range` for a value outside the range.

    Example:
        >>> from lathe import te, topi
        >>> A, B = te.placeholder((64, 64), name="A"), te.placeholder((64, 64), name="B")
        >>> C = topi.matmul(A, B)
        >>> made = topi.schedule(C, "llvm -mcpu=x86-64-v3")
        >>> [choice.by for choice in made.choices]
        ['matmul']
        >>> knob = made.knobs[0]
        >>> other = topi.schedule(C, "llvm -mcpu=x86-64-v3", {knob.name: knob.low})
        >>> other.knobs[0].value == knob.low
        True
    """
