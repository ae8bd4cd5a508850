"""Expressions with other operands."""

from . import adt, reference
from . import expr as _e
from ._loop import Loop
from ._read import Opaque
from .analysis import post_order


def with_parts(expr, changed):
    """`expr` with its parts replaced: `changed(part)` gives the part that stands for it now.

    The same object if nothing changed.
    """
    if isinstance(expr, _e.Call):
        args = [changed(arg) for arg in expr.args]
        own = isinstance(expr.op, _e.Expr) and not isinstance(expr.op, adt.Constructor)
        op = changed(expr.op) if own else expr.op
        if op is expr.op and all(a is b for a, b in zip(args, expr.args)):
            return expr
        if expr._node is None:
            return _e.Call(op, args, type_args=expr.type_args)
        made = _e.Call.__new__(_e.Call)
        _e.Expr.__init__(made)
        made._place = expr._place
        made.op, made.args, made._node, made.type_args = op, args, expr._node, expr.type_args
        return made
    if isinstance(expr, _e.Tuple):
        fields = [changed(field) for field in expr.fields]
        return expr if all(a is b for a, b in zip(fields, expr.fields)) else _e.Tuple(fields)
    if isinstance(expr, _e.TupleGetItem):
        whole = changed(expr.tuple_value)
        if whole is expr.tuple_value:
            return expr
        if isinstance(whole, _e.Tuple):
            return whole.fields[expr.index]
        return _e.TupleGetItem(whole, expr.index)
    if isinstance(expr, _e.If):
        parts = [changed(p) for p in (expr.cond, expr.true_branch, expr.false_branch)]
        old = (expr.cond, expr.true_branch, expr.false_branch)
        return expr if all(a is b for a, b in zip(parts, old)) else _e.If(*parts)
    if isinstance(expr, _e.Let):
        var, value, body = changed(expr.var), changed(expr.value), changed(expr.body)
        if var is expr.var and value is expr.value and body is expr.body:
            return expr
        return _e.Let(var, value, body)
    if isinstance(expr, adt.Match):
        data, results = changed(expr.data), [changed(clause.rhs) for clause in expr.clauses]
        old = [clause.rhs for clause in expr.clauses]
        if data is expr.data and all(a is b for a, b in zip(results, old)):
            return expr
        return adt.Match(data, [adt.Clause(clause.lhs, result)
                                for clause, result in zip(expr.clauses, results)])
    if isinstance(expr, _e.Function):
        params, body = [changed(p) for p in expr.params], changed(expr.body)
        if body is expr.body and all(a is b for a, b in zip(params, expr.params)):
            return expr
        return _e.Function(params, body, expr.ret_type, expr.type_params, expr.attrs)
    if isinstance(expr, reference.RefCreate):
        value = changed(expr.value)
        return expr if value is expr.value else reference.RefCreate(value)
    if isinstance(expr, reference.RefRead):
        ref = changed(expr.ref)
        return expr if ref is expr.ref else reference.RefRead(ref)
    if isinstance(expr, reference.RefWrite):
        ref, value = changed(expr.ref), changed(expr.value)
        return expr if ref is expr.ref and value is expr.value else reference.RefWrite(ref, value)
    if isinstance(expr, Loop):
        start, carried = [changed(one) for one in expr.start], [changed(one) for one in expr.carried]
        test, body = changed(expr.test), changed(expr.body)
        old, new = [*expr.start, *expr.carried, expr.test, expr.body], [*start, *carried, test, body]
        return expr if all(a is b for a, b in zip(new, old)) else Loop(start, carried, test, body, expr._type)
    if isinstance(expr, Opaque):
        used = [changed(part) for part in expr.used]
        if all(a is b for a, b in zip(used, expr.used)):
            return expr
        return Opaque(expr.node, expr.inner, expr.read, used)
    return expr


def substitute(expr, binds):
    """`expr` with variables replaced: {Var: expression}."""
    made = {id(var): value for var, value in binds.items()}
    for item in post_order(expr):
        if id(item) not in made:
            made[id(item)] = with_parts(item, lambda part: made.get(id(part), part))
    return made[id(expr)]
