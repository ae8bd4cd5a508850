"""Loops of expressions."""

from .._nodes import CLASSES
from ..error import LatheTypeError
from . import expr as _e
from ._loop import Loop


def while_loop(cond, loop_vars, loop_bodies):
    """A function that computes its arguments again and again, as long as a condition holds.

    Args:
        cond: variables -> an expression, a bool of rank 0.
        loop_vars: variables with types, which the loop keeps.
        loop_bodies: variables -> a list with the next value of each.

    Returns:
        A relay.Function of the first values, which gives the tuple of the last ones.

    Raises:
        LatheTypeError: `relay-loop`: a variable has no type, or there is another number of values.

    Example:
        >>> from lathe import relay
        >>> i, x = relay.var("i", shape=(), dtype="int32"), relay.var("x", shape=(2,))
        >>> loop = relay.loops.while_loop(lambda i, x: relay.less(i, relay.const(3)), [i, x],
        ...                               lambda i, x: [i + 1, x * 2.0])
        >>> made = relay.create_executor("debug").evaluate(loop(relay.const(0), relay.const([1.0, 5.0])))
        >>> made[1].numpy().tolist()
        [8.0, 40.0]
    """
    types = [var.type_annotation for var in loop_vars]
    if None in types:
        raise LatheTypeError("the variables of a loop must have types", "relay-loop",
                             f"found: {loop_vars[types.index(None)].name_hint} without one\n"
                             "help: relay.var(name, shape=..., dtype=...)")
    params, carried = ([_e.Var(var.name_hint, one) for var, one in zip(loop_vars, types)] for _ in range(2))
    bodies = list(loop_bodies(*carried))
    if len(bodies) != len(carried):
        raise LatheTypeError("a loop must give the next value of each variable", "relay-loop",
                             f"expected: {len(carried)} values\nfound: {len(bodies)}")
    loop = Loop(params, carried, _e.as_expr(cond(*carried)), _e.Tuple(bodies), CLASSES["TupleType"](types))
    return _e.Function(params, loop)
