"""Other forms of operators, which programs register."""

from ... import ir
from .. import _rebuild
from .. import expr as _e
from ..analysis import post_order

_KEY = "FTVMLegalize"


def register_legalize(op_name, legal_op=None, level=10):
    """Registers the form that calls of an operator get before they are compiled.

    `relay.build` and `relay.vm.compile` apply it first; `relay.transform.Legalize` alone, too.

    Args:
        op_name: the operator.
        legal_op: (attributes, operands, types) -> an expression of the result's type, or None: the call
            stays. `types` are those of the operands, then that of the result. Without it, this is a decorator.
        level: the function of the highest level counts.

    Example:
        >>> from lathe import relay
        >>> from lathe.relay.testing.temp_op_attr import TempOpAttr
        >>> def wide(attrs, args, types):
        ...     return relay.maximum(args[0], relay.const(0.0))
        >>> with TempOpAttr("nn.relu", "FTVMLegalize", wide):
        ...     made = relay.transform.Legalize()(relay.nn.relu(relay.var("x", shape=(2,))))
        >>> made["main"].body.op
        Op(maximum)
    """
    return ir.register_op_attr(op_name, _KEY, legal_op, level)


def legalized(func, key=_KEY):
    """A function whose calls have the forms that are registered under an attribute.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> relay.op._legalize.legalized(relay.Function([x], x), "doc.no_form").body.name_hint
        'x'
    """
    forms = ir.with_attr(key)
    if not forms:
        return func
    func.checked_type
    made = {}
    for item in post_order(func):
        new = _rebuild.with_parts(item, lambda part: made.get(id(part), part))
        if isinstance(item, _e.Call) and isinstance(item.op, _e.Op) and item.op.name in forms:
            types = [arg.checked_type for arg in item.args] + [item.checked_type]
            found = forms[item.op.name](item.attrs, new.args, types)
            new = new if found is None else _e.as_expr(found, f"the form of {item.op.name}")
        made[id(item)] = new
    return made[id(func)]
