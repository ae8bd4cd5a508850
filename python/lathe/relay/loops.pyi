"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheTypeError as LatheTypeError
from lathe.relay._loop import Loop as Loop

CLASSES: Any

def while_loop(cond: Any, loop_vars: Any, loop_bodies: Any) -> Any:
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
