"""Natural numbers as a data type: zero, and the successor of a number."""

from ...error import LatheValueError
from .. import adt
from .. import expr as _e


def add_nat_definitions(prelude):
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
    nat = adt.GlobalTypeVar("nat")
    zero, successor = adt.Constructor("z", [], nat), adt.Constructor("s", [nat], nat)
    prelude.mod[nat] = adt.TypeData(nat, [], [zero, successor])
    prelude.nat, prelude.z, prelude.s = nat, zero, successor

    def on(value, at_zero, at_successor):
        before = _e.Var("before", nat)
        return adt.Match(value, [
            adt.Clause(adt.PatternConstructor(zero, []), at_zero),
            adt.Clause(adt.PatternConstructor(successor, [adt.PatternVar(before)]), at_successor(before))])

    double, add = _e.GlobalVar("nat_double"), _e.GlobalVar("nat_add")
    x, y = _e.Var("x", nat), _e.Var("y", nat)
    prelude.mod[double] = _e.Function([x], on(x, zero(), lambda n: successor(successor(double(n)))), nat)
    x = _e.Var("x", nat)
    prelude.mod[add] = _e.Function([x, y], on(x, y, lambda n: successor(add(n, y))), nat)
    prelude.double, prelude.add = double, add


def make_nat_expr(prelude, n):
    """The number `n` (an int >= 0) as an expression of the type `prelude.nat`.

    Example:
        >>> from lathe import relay
        >>> p = relay.prelude.Prelude()
        >>> relay.testing.add_nat_definitions(p)
        >>> relay.testing.make_nat_expr(p, 1).op
        nat.s
    """
    made = prelude.z()
    for _ in range(n):
        made = prelude.s(made)
    return made


def make_nat_value(prelude, n):
    """The number `n` as a value that executors take: a runtime.container.ADT.

    Example:
        >>> from lathe import relay
        >>> p = relay.prelude.Prelude()
        >>> relay.testing.add_nat_definitions(p)
        >>> relay.testing.count(p, relay.testing.make_nat_value(p, 2))
        2
    """
    from ..._irmodule import IRModule
    from ..build_module import create_executor

    return create_executor("debug", IRModule.from_expr(make_nat_expr(prelude, n))).evaluate()()


def count(prelude, n):
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
    steps = 0
    while n.constructor == prelude.s.full_name:
        n, steps = n.fields[0], steps + 1
    if n.constructor != prelude.z.full_name:
        raise LatheValueError("this is no natural number", "testing-value",
                              f"expected: a value of the type `{prelude.nat}`\nfound: {n}")
    return steps
