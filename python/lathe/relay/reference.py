"""References: values that a function makes, reads and writes while it computes.

A graph has no such values. When a function becomes part of one, its references are followed in the
order of evaluation (operands from the left, the value of a let before its body): each read becomes
the expression that was written last, and `if` and `match` give what their branches wrote as further
results. Functions that take, make or hold references are inlined where they are called. So a
reference cannot be a function's result, and a function cannot call itself with one. What a loop
repeats can read references and cannot write them.
"""

from .. import _type_params as _tp
from .._nodes import CLASSES
from ..error import LatheTypeError, LatheValueError
from . import _rebuild, adt
from . import expr as _e
from ._loop import Loop

#: Has this program made an expression of a reference?
used = False


class OfReference(_e.Expr):
    """Base of the expressions of references.

    Example:
        >>> from lathe import relay
        >>> isinstance(relay.RefCreate(relay.const(1.0)), relay.reference.OfReference)
        True
    """

    __slots__ = ()

    def __init__(self, span=None):
        super().__init__(span)
        global used
        used = True


class RefCreate(OfReference):
    """A new reference, which holds `value` at first.

    Example:
        >>> from lathe import relay
        >>> relay.RefCreate(relay.const(1.0)).checked_type
        Ref[float32[]]
    """

    __slots__ = ("value",)

    def __init__(self, value, span=None):
        super().__init__(span)
        self.value = _e.as_expr(value, "the value of a reference")

    @property
    def checked_type(self):
        """A RefType."""
        return _tp.RefType(self.value.checked_type)


class RefRead(OfReference):
    """What a reference holds now.

    Example:
        >>> from lathe import relay
        >>> r = relay.Var("r")
        >>> body = relay.Let(r, relay.RefCreate(relay.const(0.0)), relay.exp(relay.RefRead(r)))
        >>> float(relay.create_executor("debug").evaluate(body).numpy())
        1.0
    """

    __slots__ = ("ref",)

    def __init__(self, ref, span=None):
        super().__init__(span)
        self.ref = _e.as_expr(ref, "the reference")

    @property
    def checked_type(self):
        """The type of the value. LatheTypeError if the operand is no reference."""
        return _value_type(self.ref)


class RefWrite(OfReference):
    """Makes a reference hold another value. The result is the empty tuple.

    Example:
        >>> from lathe import relay
        >>> r, u = relay.Var("r"), relay.Var("u")
        >>> body = relay.Let(r, relay.RefCreate(relay.const(1.0)),
        ...                  relay.Let(u, relay.RefWrite(r, relay.const(5.0)), relay.RefRead(r)))
        >>> float(relay.create_executor("debug").evaluate(body).numpy())
        5.0
    """

    __slots__ = ("ref", "value")

    def __init__(self, ref, value, span=None):
        super().__init__(span)
        self.ref, self.value = _e.as_expr(ref, "the reference"), _e.as_expr(value, "the value to write")

    @property
    def checked_type(self):
        """The type of the empty tuple."""
        return CLASSES["TupleType"]([])


def _value_type(ref):
    found = ref.checked_type
    if not isinstance(found, _tp.RefType):
        raise LatheTypeError("the operand is no reference", "relay-reference", f"found: a value of type {found}")
    return found.value


def takes_references(func):
    """Has the function a parameter that is, or has within, a reference?

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> relay.reference.takes_references(relay.Function([x], x))
        False
    """
    work = [param._type for param in func.params if param._type is not None]
    while work:
        one = work.pop()
        if isinstance(one, _tp.RefType):
            return True
        work += _tp.children(one)
    return False


def without_references(func, functions=None, leaves=()):
    """A Function that computes the same, without references.

    Args:
        func: a Function.
        functions: {name: Function}: those that it may call.
        leaves: ids of expressions that stay as they are.

    Raises:
        LatheError: `relay-reference`: a reference is a result, or its use cannot be followed.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> func = relay.Function([x], relay.RefRead(relay.RefCreate(x)))
        >>> relay.reference.without_references(func).body.name_hint
        'x'
    """
    functions = functions or {}
    if not _has_references(func, functions, leaves):
        return func
    result = _Follow(functions, leaves).body(func.body, {}, {})
    return _e.Function(func.params, _plain(result, func.body), func.ret_type, func.type_params, func.attrs)


class _Cell:
    """A reference while it is followed."""


class _Group(list):
    """A tuple with a field that is a reference, or a function that uses one."""


class _Closure:
    """A function that uses references: its expression, and what its free variables are."""

    def __init__(self, func, known):
        self.func, self.known = func, known


def _wrong(what, expr, hint):
    return LatheValueError(what, "relay-reference", f"help: {hint}", where=expr.span)


def _plain(value, expr):
    """`value` as an expression."""
    if isinstance(value, _Group):
        return _e.Tuple([_plain(field, expr) for field in value])
    if not isinstance(value, _e.Expr):
        raise _wrong("a reference leaves the function that can use it", expr,
                     "give the value that it holds: relay.RefRead(reference)")
    return value


def _has_references(func, functions, leaves):
    from .analysis import _inner

    seen, work = set(leaves), [func]
    while work:
        item = work.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        callee = item.op if isinstance(item, _e.Call) and isinstance(item.op, _e.GlobalVar) else item
        if isinstance(callee, _e.GlobalVar):
            callee = functions.get(callee.name_hint)
        if isinstance(item, OfReference) or isinstance(callee, _e.Function) and takes_references(callee):
            return True
        work += _inner(item)
    return False


def _uses_references(func, known, functions):
    from .analysis import post_order

    def uses(item):
        if isinstance(item, _e.GlobalVar) or isinstance(item, _e.Call) and isinstance(item.op, _e.GlobalVar):
            callee = functions.get((item if isinstance(item, _e.GlobalVar) else item.op).name_hint)
            return callee is not None and takes_references(callee)
        return isinstance(item, OfReference) or not isinstance(known.get(id(item), item), _e.Expr)

    return takes_references(func) or any(map(uses, post_order(func)))


class _Follow:
    """Evaluates bodies with what is known of variables (`known`: id -> value) and references (`held`)."""

    def __init__(self, functions, leaves):
        self.functions, self.leaves, self.active = functions, leaves, []

    def body(self, root, known, held):
        """The value of an expression; adds to `known` and `held`."""
        work = [(root, 0)]
        while work:
            expr, step = work.pop()
            if id(expr) in known:
                continue
            if id(expr) in self.leaves:
                known[id(expr)] = expr
                continue
            if isinstance(expr, _e.Let):
                if step == 1:
                    known[id(expr.var)] = known[id(expr.value)]
                if step < 2:
                    work += [(expr, step + 1), (expr.body if step else expr.value, 0)]
                else:
                    known[id(expr)] = known[id(expr.body)]
                continue
            if step == 0:
                operands = self._operands(expr)
                if operands:
                    work.append((expr, 1))
                    work += [(one, 0) for one in reversed(operands)]
                    continue
            known[id(expr)] = self._value(expr, known, held)
        return known[id(root)]

    @staticmethod
    def _operands(expr):
        from ._bindings import _operands
        from .analysis import _inner

        return list(_inner(expr) if isinstance(expr, OfReference) else _operands(expr))

    def _value(self, expr, known, held):
        def of(part):
            return known.get(id(part), part)

        if isinstance(expr, RefCreate):
            cell = _Cell()
            held[cell] = of(expr.value)
            return cell
        if isinstance(expr, (RefRead, RefWrite)):
            cell = of(expr.ref)
            if not isinstance(cell, _Cell):
                raise _wrong("it is not known which reference this is", expr,
                             "use the variable that a let binds to relay.RefCreate(value)")
            if isinstance(expr, RefRead):
                return held[cell]
            held[cell] = of(expr.value)
            return _e.Tuple([])
        if isinstance(expr, _e.Tuple):
            fields = [of(field) for field in expr.fields]
            whole = all(isinstance(field, _e.Expr) for field in fields)
            return _rebuild.with_parts(expr, of) if whole else _Group(fields)
        if isinstance(expr, _e.TupleGetItem) and isinstance(of(expr.tuple_value), _Group):
            return of(expr.tuple_value)[expr.index]
        if isinstance(expr, _e.Function):
            return self._function(expr, known)
        if isinstance(expr, _e.Call):
            return self._call(expr, of, held)
        if isinstance(expr, _e.If):
            return self._branches(expr, [expr.true_branch, expr.false_branch], known, held,
                                  lambda parts: _e.If(of(expr.cond), *parts))
        if isinstance(expr, adt.Match):
            patterns = [clause.lhs for clause in expr.clauses]
            return self._branches(expr, [clause.rhs for clause in expr.clauses], known, held,
                                  lambda parts: adt.Match(of(expr.data), list(map(adt.Clause, patterns, parts))))
        if isinstance(expr, Loop):
            return self._loop(expr, of, known, held)
        return _rebuild.with_parts(expr, of)

    def _loop(self, expr, of, known, held):
        made, inner = {}, {id(var) for var in expr.carried}
        outer = {key: value for key, value in known.items() if key not in inner}
        for part in (expr.test, expr.body):
            state = dict(held)
            made[id(part)] = _plain(self.body(part, dict(outer), state), expr)
            if any(state[cell] is not held[cell] for cell in held):
                raise _wrong("a loop writes a reference that is made outside of it", expr,
                             "carry the value as a variable of the loop")
        for part in expr.start:
            made.setdefault(id(part), _plain(of(part), expr))
        return _rebuild.with_parts(expr, lambda part: made.get(id(part), part))

    def _function(self, expr, known):
        if _uses_references(expr, known, self.functions):
            return _Closure(expr, dict(known))
        return _rebuild.with_parts(expr, lambda part: self.body(part, dict(known), {}))

    def _call(self, expr, of, held):
        callee, args = of(expr.op), [of(arg) for arg in expr.args]
        given = all(isinstance(arg, _e.Expr) for arg in args)
        if isinstance(callee, _e.GlobalVar):
            func = self.functions.get(callee.name_hint)
            if func is not None and (not given or takes_references(func)):
                callee = _Closure(func, {})
        elif isinstance(callee, _e.Function) and not given:
            callee = _Closure(callee, {})
        if isinstance(callee, _Closure):
            return self._inlined(callee, args, expr, held)
        for arg in args:
            if not isinstance(arg, _e.Expr):
                raise _wrong("an operator or constructor is given a reference", expr,
                             "give it the value: relay.RefRead(reference)")
        return _rebuild.with_parts(expr, of)

    def _inlined(self, callee, args, expr, held):
        if any(func is callee.func for func in self.active):
            raise _wrong("a function that uses references calls itself", expr,
                         "give the state as a parameter and a result")
        known = dict(callee.known)
        known.update((id(param), arg) for param, arg in zip(callee.func.params, args))
        self.active.append(callee.func)
        try:
            return self.body(callee.func.body, known, held)
        finally:
            self.active.pop()

    def _branches(self, expr, bodies, known, held, make):
        """A choice between bodies. What they write to outer references becomes further results."""
        states = [dict(held) for _ in bodies]
        results = [self.body(body, dict(known), state) for body, state in zip(bodies, states)]
        changed = [cell for cell in held if any(state[cell] is not held[cell] for state in states)]
        if all(not isinstance(one, _e.Expr) and one is results[0] for one in results):
            same = results[0]
            results = [_e.Tuple([])] * len(results)
        else:
            same, results = None, [_plain(one, expr) for one in results]
        if not changed:
            made = make(results)
            return made if same is None else same
        rows = [[result] + [_plain(state[cell], expr) for cell in changed] for result, state in zip(results, states)]
        made = make([_e.Tuple(row) for row in rows])
        for i, cell in enumerate(changed):
            held[cell] = _e.TupleGetItem(made, i + 1)
        return same if same is not None else _e.TupleGetItem(made, 0)
