"""Questions about expressions."""

from .. import _nodes, _type_params
from .._graph_types import Type
from . import adt, reference
from . import expr as _e
from ._loop import Loop


def _inner(expr):
    """The parts of an expression, those of inner bodies included."""
    if isinstance(expr, _e.Call):
        called = isinstance(expr.op, _e.Expr) and not isinstance(expr.op, adt.Constructor)
        return [expr.op, *expr.args] if called else expr.args
    if isinstance(expr, _e.Tuple):
        return expr.fields
    if isinstance(expr, _e.TupleGetItem):
        return [expr.tuple_value]
    if isinstance(expr, _e.If):
        return [expr.cond, expr.true_branch, expr.false_branch]
    if isinstance(expr, _e.Let):
        return [expr.value, expr.body]
    if isinstance(expr, _e.Function):
        return [expr.body]
    if isinstance(expr, adt.Match):
        return [expr.data, *(clause.rhs for clause in expr.clauses)]
    if isinstance(expr, Loop):
        return [*expr.start, expr.test, expr.body]
    if isinstance(expr, reference.RefCreate):
        return [expr.value]
    if isinstance(expr, reference.RefRead):
        return [expr.ref]
    if isinstance(expr, reference.RefWrite):
        return [expr.ref, expr.value]
    return getattr(expr, "used", ())


def post_order(expr):
    """The expressions that `expr` consists of, operands first, each once.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> [type(e).__name__ for e in relay.analysis.post_order(x + x)]
        ['Var', 'Call']
    """
    found, done, work = [], set(), [(expr, False)]
    while work:
        item, ready = work.pop()
        if id(item) in done:
            continue
        if ready:
            done.add(id(item))
            found.append(item)
        else:
            work.append((item, True))
            work.extend((part, False) for part in reversed(_inner(item)))
    return found


def post_order_visit(expr, fvisit):
    """Calls `fvisit` for each part of `expr`, operands first.

    Example:
        >>> from lathe import relay
        >>> seen = []
        >>> relay.analysis.post_order_visit(relay.const(1) + relay.const(2), seen.append)
        >>> len(seen)
        3
    """
    for item in post_order(expr):
        fvisit(item)


def _bound(expr):
    bound = set()
    for item in post_order(expr):
        if isinstance(item, _e.Function):
            bound.update(map(id, item.params))
        elif isinstance(item, _e.Let):
            bound.add(id(item.var))
        elif isinstance(item, adt.Match):
            bound.update(id(var) for clause in item.clauses for var in clause.lhs._vars())
        elif isinstance(item, Loop):
            bound.update(map(id, item.carried))
    return bound


def free_vars(expr):
    """The variables of `expr` that nothing in it binds, in the order of their first use.

    Example:
        >>> from lathe import relay
        >>> x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(2,))
        >>> [v.name_hint for v in relay.analysis.free_vars(y + x)]
        ['y', 'x']
    """
    expr = _e.as_expr(expr)
    bound = _bound(expr)
    return [item for item in post_order(expr) if isinstance(item, _e.Var) and id(item) not in bound]


def bound_vars(expr):
    """The variables that `expr` binds: parameters, those of lets and of patterns.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> [v.name_hint for v in relay.analysis.bound_vars(relay.Function([x], x))]
        ['x']
    """
    found = []
    for item in post_order(_e.as_expr(expr)):
        if isinstance(item, _e.Function):
            found += item.params
        elif isinstance(item, _e.Let):
            found.append(item.var)
        elif isinstance(item, adt.Match):
            found += [var for clause in item.clauses for var in clause.lhs._vars()]
    return found


def all_vars(expr):
    """All variables of `expr`.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> len(relay.analysis.all_vars(x + x))
        1
    """
    found = {}
    for item in [*post_order(_e.as_expr(expr)), *bound_vars(expr)]:
        if isinstance(item, _e.Var):
            found.setdefault(id(item), item)
    return list(found.values())


def all_type_vars(expr, mod=None):
    """The type variables of a type or an expression, in the order of their first use.

    Args:
        expr: a type, or an expression whose annotations are meant.
        mod: without effect, for old programs.

    Example:
        >>> from lathe import relay
        >>> a, b = relay.TypeVar("a"), relay.TypeVar("b")
        >>> x = relay.Var("x", a)
        >>> relay.analysis.all_type_vars(relay.Function([x], x, a, [a, b]))
        [a, b]
    """
    found = {}
    for one in _types_in(expr):
        found.update((var.name, var) for var in _type_params.variables(one) if var.name not in found)
    return list(found.values())


def bound_type_vars(expr, mod=None):
    """The type variables that functions in a type or an expression declare.

    Example:
        >>> from lathe import relay
        >>> a, b = relay.TypeVar("a"), relay.TypeVar("b")
        >>> relay.analysis.bound_type_vars(relay.Function([relay.Var("x", a)], relay.Var("y", b), b, [a]))
        [a]
    """
    if isinstance(expr, Type):
        functions = [expr] if getattr(expr, "type_params", ()) else []
    else:
        functions = [item for item in post_order(_e.as_expr(expr)) if isinstance(item, _e.Function)]
    found = {var.name: var for function in functions for var in function.type_params}
    return list(found.values())


def free_type_vars(expr, mod=None):
    """The type variables that no function in a type or an expression declares.

    Example:
        >>> from lathe import relay
        >>> a, b = relay.TypeVar("a"), relay.TypeVar("b")
        >>> relay.analysis.free_type_vars(relay.Function([relay.Var("x", a)], relay.Var("y", b), b, [a]))
        [b]
    """
    bound = {var.name for var in bound_type_vars(expr)}
    return [var for var in all_type_vars(expr) if var.name not in bound]


def _types_in(expr):
    """The types that are written in an expression, or a type itself."""
    if isinstance(expr, Type):
        return [expr]
    found = []
    for item in post_order(_e.as_expr(expr)):
        if isinstance(item, _e.Function):
            found += [param._type for param in item.params] + [item.ret_type, *item.type_params]
        elif isinstance(item, _e.Var):
            found.append(item._type)
        elif isinstance(item, _e.Call):
            found += item.type_args
    return [one for one in found if one is not None]


def all_dtypes(expr):
    """The element types of all tensors in `expr`: a set of str.

    Example:
        >>> from lathe import relay
        >>> sorted(relay.analysis.all_dtypes(relay.const(1).astype("float32")))
        ['float32', 'int32']
    """
    expr = _e.as_expr(expr)
    expr.checked_type
    found, work = set(), [item._type for item in post_order(expr) if item._type is not None]
    while work:
        one = work.pop()
        kind = type(one).__name__
        if kind == "TensorType":
            found.add(one.dtype)
        elif kind == "TupleType":
            work.extend(one.fields)
        elif kind == "FuncType":
            work.extend([*one.params, one.result])
    return found


def well_formed(expr):
    """Is each variable bound at most once?

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> relay.analysis.well_formed(relay.Function([x], x))
        True
    """
    names = [id(var) for var in bound_vars(expr)]
    return len(names) == len(set(names))


def check_constant(expr):
    """Is `expr` a constant, or a tuple of constants?

    Example:
        >>> from lathe import relay
        >>> relay.analysis.check_constant(relay.const(1))
        True
    """
    expr = _e.as_expr(expr)
    return all(isinstance(item, (_e.Constant, _e.Tuple)) for item in post_order(expr))


def has_sizes(expr):
    """Does the type of `expr` depend on sizes that the caller chooses?

    Example:
        >>> from lathe import relay
        >>> relay.analysis.has_sizes(relay.var("x", shape=(relay.Any(), 2)))
        True
    """
    work = [_e.as_expr(expr).checked_type]
    while work:
        one = work.pop()
        if isinstance(one, _nodes.CLASSES["TensorType"]):
            if any(not hasattr(n, "value") for n in one.shape):
                return True
        elif isinstance(one, _nodes.CLASSES["TupleType"]):
            work.extend(one.fields)
    return False


from ._counts import (CallGraph, Feature, count_layers, detect_feature,  # noqa: E402,F401
                      extract_fused_functions, get_total_mac_number, list_fake_quantized_op_freqs,
                      list_op_freqs)
