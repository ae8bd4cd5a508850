"""The names for any target: the operators of `topi.nn`, with schedules for the current target."""

from . import _schedules

_schedules.install(globals())


def schedule_injective_from_existing(sch, out):
    """A schedule with the outer axes of an elementwise operation in parallel.

    Args:
        sch: a Schedule.
        out: a tensor of it.

    Returns:
        `sch`.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.exp(te.placeholder((8, 64)))
        >>> s = te.create_schedule(y.op)
        >>> topi.generic.schedule_injective_from_existing(s, y) is s
        True
    """
    stage = sch[out]
    axes = list(stage.op.axis)
    if len(axes) > 1:
        stage.parallel(stage.fuse(*axes[:-1]))
    return sch


def default_schedule(outs, auto_inline):
    """The schedule that `topi.schedule` makes.

    Args:
        outs: a tensor, or a list of them.
        auto_inline: without effect.

    Example:
        >>> from lathe import te, topi
        >>> len(topi.generic.default_schedule(topi.exp(te.placeholder((8,))), True).outputs)
        1
    """
    from ._schedule import schedule

    return schedule(outs).schedule
