"""Schedules by target, as tests of operators take them."""

from ._schedules import schedule as _schedule



def get_injective_schedule(target):
    """The function tensors -> Schedule for elementwise operators. All names here give the same.

    Example:
        >>> from lathe import te, topi
        >>> make = topi.testing.get_injective_schedule("llvm")
        >>> len(make(topi.exp(te.placeholder((8,)))).outputs)
        1
    """
    return lambda outs: _schedule(outs, target).schedule


def get_broadcast_schedule(target):
    """See `get_injective_schedule`.

    Example:
        >>> from lathe import topi
        >>> callable(topi.testing.get_broadcast_schedule("llvm"))
        True
    """
    return get_injective_schedule(target)


def get_elemwise_schedule(target):
    """See `get_injective_schedule`.

    Example:
        >>> from lathe import topi
        >>> callable(topi.testing.get_elemwise_schedule("llvm"))
        True
    """
    return get_injective_schedule(target)


def get_reduce_schedule(target):
    """See `get_injective_schedule`.

    Example:
        >>> from lathe import topi
        >>> callable(topi.testing.get_reduce_schedule("llvm"))
        True
    """
    return get_injective_schedule(target)


def dispatch(target, dispatch_map):
    """The item of a dict for a target: by its name, then its keys, then "generic".

    Args:
        target: text or Target.
        dispatch_map: {name or key: item}.

    Raises:
        KeyError: there is neither.

    Example:
        >>> from lathe import topi
        >>> topi.testing.dispatch("llvm", {"generic": 1, "cpu": 2, "cuda": 3})
        2
    """
    from ..target import Target

    target = Target(target) if isinstance(target, str) else target
    for key in (target.kind.name, *target.keys, "generic"):
        if key in dispatch_map:
            return dispatch_map[key]
    raise KeyError(f"no item for {target}, and none for generic")
