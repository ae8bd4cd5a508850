"""Computes what is known when a module is made: calls of functions, choices, parts of tuples and data types."""

from . import _nested, _rebuild, adt
from . import expr as _e
from ._loop import Loop
from .reference import without_references

#: How deep calls of functions that call themselves are followed.
_DEPTH = 60
#: How many calls are replaced by what they compute, in one function of the module.
_CALLS = 300


def evaluated(func, functions):
    """A Function that computes the same, in which nothing that is known is left to compute.

    Args:
        func: a Function.
        functions: {name: Function}: those that it may call.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> double = relay.Function([h := relay.var("h", shape=(2,))], h + h)
        >>> made = relay._partial.evaluated(relay.Function([x], relay.If(relay.const(True), double(x), x)), {})
        >>> made.body.op
        Op(add)
    """
    body = _nested.run(_Evaluate(functions).body(without_references(func, functions).body, {}))
    return _e.Function(func.params, body, func.ret_type, func.type_params, func.attrs)


class _Evaluate:
    """Methods that follow bodies are generators: `_nested.run` runs them.

    `known`: {id of an expression: (expression, what stands for it)} of one body.
    """

    def __init__(self, functions):
        self.functions, self.depth, self.calls, self._calls_itself = functions, 0, 0, {}

    def body(self, root, known):
        """What stands for an expression."""
        work = [(root, 0)]
        while work:
            expr, step = work.pop()
            if id(expr) in known and step == 0:
                continue
            todo = self._before(expr, step, known)
            if todo is not None:
                work.append((expr, step + 1))
                work += [(one, 0) for one in reversed(todo)]
            else:
                known[id(expr)] = (expr, (yield self._value(expr, known)))
        return known[id(root)][1]

    def _before(self, expr, step, known):
        if isinstance(expr, _e.Let):
            if step == 1:
                known[id(expr.var)] = (expr.var, known[id(expr.value)][1])
            return None if step == 2 else [expr.body if step else expr.value]
        if step or isinstance(expr, _e.Function):
            return None
        from ._bindings import _operands

        return list(_operands(expr))

    def _value(self, expr, known):
        def of(part):
            return known[id(part)][1] if id(part) in known else part

        if isinstance(expr, _e.Let):
            return of(expr.body)
        if isinstance(expr, _e.Function):
            inner = self._fresh(expr.params, known)
            # The parameters have no values yet: they stand for themselves, or for those of a copy.
            parts = {}
            for part in (*expr.params, expr.body):
                parts[id(part)] = yield self._inner(part, inner)
            return _rebuild.with_parts(expr, lambda part: parts[id(part)])
        if isinstance(expr, Loop):
            inner, start = self._fresh(expr.carried, known), [of(one) for one in expr.start]
            carried = [inner[id(var)][1] if id(var) in inner else var for var in expr.carried]
            test = yield self._inner(expr.test, inner)
            return Loop(start, carried, test, (yield self._inner(expr.body, inner)), expr._type)
        if isinstance(expr, _e.If):
            cond = _number(of(expr.cond))
            if isinstance(cond, _e.Constant):
                chosen = expr.true_branch if bool(cond.data.numpy()) else expr.false_branch
                return (yield self.body(chosen, known))
            then = yield self._inner(expr.true_branch, known)
            return _e.If(cond, then, (yield self._inner(expr.false_branch, known)))
        if isinstance(expr, adt.Match):
            return (yield self._match(expr, of, known))
        if isinstance(expr, _e.Call) and isinstance(expr.op, _e.Expr) and not isinstance(expr.op, adt.Constructor):
            return (yield self._call(expr, of))
        return _rebuild.with_parts(expr, of)

    def _fresh(self, names, known):
        """`known`, with other variables for those of a body that is copied: each copy has its own."""
        if not self.depth:
            return known
        return {**known, **{id(var): (var, _e.Var(var.name_hint, var._type)) for var in names}}

    def _inner(self, part, known):
        """An expression of an inner body: what is computed there stays there."""
        if isinstance(part, _e.Var) and id(part) not in known:
            return part
        return (yield self.body(part, dict(known)))

    def _call(self, expr, of):
        callee, args = of(expr.op), [of(arg) for arg in expr.args]
        func = callee
        if isinstance(callee, _e.GlobalVar):
            func = self.functions.get(callee.name_hint)
        known = {} if not isinstance(func, _e.Function) else {
            id(param): (param, arg) for param, arg in zip(func.params, args)}
        if not known and args or not isinstance(func, _e.Function) or func.attrs or self.depth >= _DEPTH or \
                self.calls >= _CALLS:
            return _rebuild.with_parts(expr, of)
        self.depth += 1
        self.calls += 1
        try:
            again = isinstance(callee, _e.GlobalVar) and self._recursive(callee.name_hint)
            if again and not (yield self._is_decided(func.body, known)):
                return _rebuild.with_parts(expr, of)
            return (yield self.body(func.body, known))
        finally:
            self.depth -= 1

    def _is_decided(self, body, known):
        """Is it known which branch a body takes? What is computed for that is added to `known`."""
        while isinstance(body, _e.Let):
            known[id(body.var)] = (body.var, (yield self.body(body.value, known)))
            body = body.body
        if isinstance(body, _e.If):
            return isinstance(_number((yield self.body(body.cond, known))), _e.Constant)
        if not isinstance(body, adt.Match):
            return False
        data = yield self.body(body.data, known)
        for clause in body.clauses:
            found = _fits(clause.lhs, data)
            if found is not False:
                return found is not None
        return False

    def _recursive(self, name):
        if name not in self._calls_itself:
            self._calls_itself[name] = self._reaches_itself(name)
        return self._calls_itself[name]

    def _reaches_itself(self, name):
        from ._bindings import called_by

        seen, work = set(), [name]
        while work:
            for one in called_by(self.functions[work.pop()]):
                if one == name:
                    return True
                if one not in seen and one in self.functions:
                    seen.add(one)
                    work.append(one)
        return False

    def _match(self, expr, of, known):
        data = of(expr.data)
        for clause in expr.clauses:
            binds = _fits(clause.lhs, data)
            if binds is None:
                break
            if binds is not False:
                return (yield self.body(clause.rhs, {**known, **{id(var): (var, value) for var, value in binds}}))
        clauses = []
        for clause in expr.clauses:
            inner = self._fresh(clause.lhs._vars(), known)
            clauses.append(adt.Clause(_renamed(clause.lhs, inner), (yield self._inner(clause.rhs, inner))))
        return adt.Match(data, clauses)


def _renamed(pattern, known):
    """A pattern with the variables that `known` has for its own."""
    if isinstance(pattern, adt.PatternVar):
        return adt.PatternVar(known[id(pattern.var)][1]) if id(pattern.var) in known else pattern
    if isinstance(pattern, adt.PatternConstructor):
        return adt.PatternConstructor(pattern.constructor, [_renamed(one, known) for one in pattern.patterns])
    if isinstance(pattern, adt.PatternTuple):
        return adt.PatternTuple([_renamed(one, known) for one in pattern.patterns])
    return pattern


def _number(expr):
    """A condition, computed if it is made of constants."""
    from .analysis import free_vars, post_order

    parts = post_order(expr)
    if isinstance(expr, _e.Constant) or free_vars(expr) or not all(
            isinstance(one, _e.Constant) or isinstance(one, _e.Call) and isinstance(one.op, _e.Op) for one in parts):
        return expr
    from .transform import FoldConstantExpr

    return FoldConstantExpr(expr)


def _fits(pattern, data):
    """[(Var, value)] if a value matches; False if it does not; None if that is not known."""
    if isinstance(pattern, adt.PatternWildcard):
        return []
    if isinstance(pattern, adt.PatternVar):
        return [(pattern.var, data)]
    if isinstance(pattern, adt.PatternTuple):
        if not isinstance(data, _e.Tuple):
            return None
        parts = list(zip(pattern.patterns, data.fields))
    else:
        if not isinstance(data, _e.Call) or not isinstance(data.op, adt.Constructor):
            return None
        if data.op.full_name != pattern.constructor.full_name:
            return False
        parts = list(zip(pattern.patterns, data.args))
    binds = []
    for part, value in parts:
        found = _fits(part, value)
        if found is None or found is False:
            return found
        binds += found
    return binds
