"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError

def add_nat_definitions(prelude: Any) -> Any:
    """Adds the data type `nat` with the constructors `z` and `s` to a Prelude and its module.

    Args:
        prelude: a relay.prelude.Prelude; it gets the attributes `nat`, `z`, `s`, `double`, `add`.

    Example:
        >>> from lathe import relay
        >>> p = relay.prelude.Prelude()
        >>> relay.testing.add_nat_definitions(p)
        >>> p.mod["main"] = relay.Function([], p.double(relay.testing.make_nat_expr(p, 2)))
        >>> relay.testing.count(p, relay.create_executor("debug", p.mod).evaluate()())
        4
    """

def count(prelude: Any, n: Any) -> Any:
    """The int that a value of the type `nat` stands for: how many successors it has.

    Args:
        prelude: the Prelude with the type.
        n: what an executor gave.

    Raises:
        LatheError: `testing-value`: it is a value of another type.

    Example:
        >>> from lathe import relay
        >>> p = relay.prelude.Prelude()
        >>> relay.testing.add_nat_definitions(p)
        >>> p.mod["main"] = relay.Function([], relay.testing.make_nat_expr(p, 3))
        >>> relay.testing.count(p, relay.create_executor("debug", p.mod).evaluate()())
        3
    """

def make_nat_expr(prelude: Any, n: Any) -> Any:
    """The number `n` (an int >= 0) as an expression of the type `prelude.nat`.

    Example:
        >>> from lathe import relay
        >>> p = relay.prelude.Prelude()
        >>> relay.testing.add_nat_definitions(p)
        >>> relay.testing.make_nat_expr(p, 1).op
        nat.s
    """

def make_nat_value(prelude: Any, n: Any) -> Any:
    """The number `n` as a value that executors take: a runtime.container.ADT.

    Example:
        >>> from lathe import relay
        >>> p = relay.prelude.Prelude()
        >>> relay.testing.add_nat_definitions(p)
        >>> relay.testing.count(p, relay.testing.make_nat_value(p, 2))
        2
    """
