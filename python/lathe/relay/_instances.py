"""Functions and data types with type parameters become, for each use, ones with the types of that use.

Types are inferred along the way: what a function is called with, or a constructor is given, decides
its type variables. A constructor that has no field of a variable's type (`nil()`) gets its type
from the place where it is used.
"""

from .. import _type_params as _tp
from ..error import LatheError, LatheTypeError
from . import _rebuild, adt
from . import expr as _e

#: How many instances of one function may be under way at once: it calls itself with ever other types.
_NESTED = 32
#: How long the text of such types may be.
_LONGEST = 2000


class Instances:
    """Makes functions without type parameters of those of a module.

    Args:
        functions: {name: Function or None}.
        definitions: {name: TypeData}.

    Attributes:
        made: {name: Function}: instances of the module's functions with type parameters.
        datatypes: {name: TypeData}: instances of its data types.
    """

    def __init__(self, functions=None, definitions=None):
        self.functions = functions or {}
        self.definitions = {name: data for name, data in (definitions or {}).items() if data.type_vars}
        self.made, self.datatypes, self._under_way, self._depth = {}, {}, {}, {}

    def function(self, func, leaves=()):
        """The Function, whose calls and constructors have no type parameters any more.

        Args:
            func: a Function.
            leaves: ids of expressions that stay as they are.
        """
        return _Visit(self, leaves).visit(func)

    def of_global(self, name, args, type_args, where):
        """The GlobalVar of the instance of a module's function for arguments."""
        func = self.functions[name]
        binds = _bound(func, args, type_args, f"function `{name}`", where)
        types = ", ".join(_tp.exact_text(binds[one.name]) for one in func.type_params)
        made = f"{name}[{types}]"
        if made not in self.made and made not in self._under_way:
            depth = self._depth.get(name, 0)
            if depth >= _NESTED or depth and len(types) > _LONGEST:
                raise LatheTypeError(f"function `{name}` calls itself with ever other types", "relay-type-arguments",
                                     f"expected: at most {_NESTED} instances within each other\nfound: more, or very large types\n"
                                     "help: give the call of itself the types that the function has", where=where)
            self._depth[name] = depth + 1
            self._under_way[made] = _retyped(func, binds)
            try:
                self.made[made] = self.function(self._under_way[made])
            finally:
                self._depth[name] = depth
        result = self._under_way[made].ret_type
        if result is None and made in self.made:
            result = self.made[made].body.checked_type
        return _e.GlobalVar(made), self._under_way[made].params, result

    def data_type(self, one):
        """The TypeData of a type that applies a data type to types. Its fields' types are met, too."""
        func, args = _tp.parts_of(one)
        if one.name in self.datatypes:
            return self.datatypes[one.name]
        data = self.definitions.get(func.name)
        if data is None or len(data.type_vars) != len(args):
            raise LatheTypeError("a data type is applied to types, and its definition does not fit",
                                 "relay-type-arguments",
                                 f"expected: a relay.TypeData of `{func}` with {len(args)} type variables\n"
                                 f"found: {'none' if data is None else len(data.type_vars)}")
        binds = dict(zip((var.name for var in data.type_vars), args))
        made = [adt.Constructor(c.name_hint, [_tp.substitute(t, binds) for t in c.inputs], one)
                for c in data.constructors]
        self.datatypes[one.name] = adt.TypeData(one, [], made)
        for constructor in made:
            for field in constructor.inputs:
                self.meet(field)
        return self.datatypes[one.name]

    def meet(self, one):
        """Makes the data types that a type contains; returns the type, or None if it is not known."""
        if one is None or isinstance(one, _tp.IncompleteType):
            return None
        if isinstance(one, _tp.TypeCall) and not _tp.variables(one) and one.func.name in self.definitions:
            self.data_type(one)
        for part in _tp.children(one):
            self.meet(part)
        return one


def _no_type_parameters(expr):
    return LatheTypeError("a call of a function without type parameters has type arguments", "relay-type-arguments",
                          f"expected: none\nfound: {len(expr.type_args)}\nhelp: leave `type_args` out, or declare "
                          "relay.Function(..., type_params=[...])", where=expr.span)


def is_generic(expr):
    """Is it a function with type parameters?"""
    return isinstance(expr, _e.Function) and bool(expr.type_params)


def _bound(func, args, type_args, what, where):
    """{name of a type variable: type} of a call of a function with type parameters."""
    binds = {}
    if type_args:
        if len(type_args) != len(func.type_params):
            raise LatheTypeError(f"a call of {what} has another number of type arguments", "relay-type-arguments",
                                 f"expected: {len(func.type_params)}\nfound: {len(type_args)}", where=where)
        binds = {var.name: one for var, one in zip(func.type_params, type_args)}
    for param, arg in zip(func.params, args):
        if arg is not None and param._type is not None:
            _tp.unify(param._type, arg.checked_type, binds)
    _need(binds, func.type_params, what, where)
    return binds


def _need(binds, names, what, where):
    missing = [one for one in names if one.name not in binds]
    if missing:
        raise LatheTypeError(f"the types of {what} are not known here", "relay-type-arguments",
                             f"found: nothing says what the type variable `{missing[0]}` is\n"
                             "help: relay.Call(what, arguments, type_args=[...]) says it", where=where)


def _retyped(func, binds):
    """A copy of a function with type variables replaced, and no type parameters."""
    from .analysis import post_order

    made, known = {}, {}
    # An inner function's own type variables are others, also if they have the same names.
    own, bound = {}, set(map(id, _all_parts(func)))
    for item in reversed(post_order(func)):
        if item is not func and is_generic(item):
            within = {name: one for name, one in own.get(id(item), binds).items()
                      if name not in {var.name for var in item.type_params}}
            own.update((id(part), within) for part in _all_parts(item))

    def of(item, one):
        return None if one is None else _tp.substitute(one, own.get(id(item), binds))

    def var(old):
        if id(old) not in known:
            known[id(old)] = _e.Var(old.name_hint, of(old, old._type))
        return known[id(old)]

    def pattern(old):
        if isinstance(old, adt.PatternVar):
            return adt.PatternVar(var(old.var))
        parts = [pattern(part) for part in getattr(old, "patterns", ())]
        if isinstance(old, adt.PatternConstructor):
            return adt.PatternConstructor(old.constructor, parts)
        return adt.PatternTuple(parts) if isinstance(old, adt.PatternTuple) else old

    def part(old):
        return var(old) if isinstance(old, _e.Var) and id(old) in bound else made.get(id(old), old)

    for item in post_order(func):
        if isinstance(item, _e.Function):
            names = [] if item is func else item.type_params
            new = _e.Function([var(p) for p in item.params], part(item.body), of(item, item.ret_type), names, item.attrs)
        elif isinstance(item, adt.Match):
            new = adt.Match(part(item.data), [adt.Clause(pattern(c.lhs), part(c.rhs)) for c in item.clauses])
        elif isinstance(item, _e.Let):
            new = _e.Let(var(item.var), part(item.value), part(item.body))
        elif isinstance(item, _e.Call) and item.type_args:
            new = _e.Call(part(item.op) if isinstance(item.op, _e.Expr) else item.op, [part(a) for a in item.args],
                          type_args=[of(item, one) for one in item.type_args])
            new._place = item._place
        else:
            new = _rebuild.with_parts(item, part)
        made[id(item)] = new
    return made[id(func)]


def _all_parts(func):
    """All that a function has: expressions, and the variables that it binds."""
    from .analysis import post_order

    found = []
    for item in post_order(func):
        if not isinstance(item, _e.Var):
            found.append(item)
        if isinstance(item, _e.Function):
            found += item.params
        elif isinstance(item, _e.Let):
            found.append(item.var)
        elif isinstance(item, adt.Match):
            found += [var for clause in item.clauses for var in clause.lhs._vars()]
    return found


class _Visit:
    """One function. `made`: {id of an expression: (expression, what stands for it)}."""

    def __init__(self, instances, leaves):
        self.instances, self.leaves, self.made, self.pending = instances, leaves, {}, {}
        self.generic = {}  # id of a variable -> the function with type parameters that a let binds to it

    def visit(self, root):
        result = self._run(root)
        for part in _parts(result) if self.pending else ():
            _, data = self.pending.get(id(part), (None, None))
            if data is not None:
                _need({}, data.type_vars, f"constructor `{part.op.name_hint}`", part.span)
        return result

    def _run(self, root):
        work = [(root, 0)]
        while work:
            expr, step = work.pop()
            if id(expr) in self.made and step == 0:
                continue
            todo = self._before(expr, step)
            if todo is not None:
                work.append((expr, step + 1))
                work += [(one, 0) for one in reversed(todo)]
                continue
            self._put(expr, self._after(expr))
        return self._of(root)

    def _put(self, expr, new):
        self.made[id(expr)] = (expr, new)

    def _of(self, expr):
        found = self.made.get(id(expr))
        return expr if found is None else found[1]

    def _before(self, expr, step):
        """What has to be visited at a step; None if the expression itself is next."""
        if id(expr) in self.leaves:
            return None
        if isinstance(expr, _e.Let):
            if step == 0:
                return [expr.value]
            if step == 1:
                value = self._of(expr.value)
                if is_generic(value):
                    self.generic[id(expr.var)] = value
                else:
                    self._bind(expr.var, value)
                return [expr.body]
            return None
        if isinstance(expr, adt.Match):
            if step == 0:
                return [expr.data]
            if step == 1:
                self._refine(expr)
                return [clause.rhs for clause in expr.clauses]
            return None
        if step:
            return None
        if isinstance(expr, _e.Function):
            if is_generic(expr):
                return None
            for param in expr.params:
                if self.instances.meet(param._type) is None:
                    self._put(param, _e.Var(param.name_hint))
            return [expr.body]
        if isinstance(expr, _e.If):
            return [expr.cond, expr.true_branch, expr.false_branch]
        from ._bindings import _operands

        if isinstance(expr, _e.Call) and id(expr.op) in self.generic:
            return list(expr.args)
        return list(_operands(expr))

    def _bind(self, var, value):
        wanted = self.instances.meet(var._type)
        value = self._settled(value, wanted)
        if wanted is None and id(value) not in self.pending and not isinstance(value, _e.Function):
            self._put(var, _e.Var(var.name_hint, self._type_of(value)))
        elif wanted is None:
            self._put(var, _e.Var(var.name_hint))

    @staticmethod
    def _type_of(value):
        """The type; None if it is not known here. The compiler says what is wrong, if something is."""
        try:
            return value.checked_type
        except LatheError:
            return None

    def _after(self, expr):
        if id(expr) in self.leaves:
            return expr
        if isinstance(expr, _e.Let):
            if id(expr.var) in self.generic:
                return self._of(expr.body)
            value = self._settled(self._of(expr.value), self.instances.meet(expr.var._type))
            body = self._of(expr.body)
            return self._maybe_pending(_e.Let(self._of(expr.var), value, body), [body])
        if isinstance(expr, _e.Function):
            return expr if is_generic(expr) else self._function(expr)
        if isinstance(expr, adt.Match):
            return self._match(expr)
        if isinstance(expr, _e.If):
            branches = self._alike([self._of(expr.true_branch), self._of(expr.false_branch)])
            return self._maybe_pending(_e.If(self._of(expr.cond), *branches), branches)
        if isinstance(expr, _e.Call):
            return self._call(expr)
        if isinstance(expr, _e.Var) and id(expr) in self.generic:
            raise LatheTypeError(f"the function `{expr.name_hint}` with type parameters is used as a value",
                                 "relay-type-arguments", "expected: a call of it\n"
                                 "help: relay.Function(..., type_params=[]) makes a function of known types",
                                 where=expr.span)
        return _rebuild.with_parts(expr, self._of)

    def _maybe_pending(self, made, results):
        """`made`, which has no type yet if none of its results has one."""
        if all(id(one) in self.pending for one in results):
            self.pending[id(made)] = (made, None)
            return made
        # The types of instances of functions are known here, and inference would look for the functions.
        made._type = next((one._type for one in results if isinstance(one._type, _tp.TypeCall)), None)
        return made

    def _function(self, expr):
        result = self.instances.meet(expr.ret_type)
        body = self._settled(self._of(expr.body), result)
        params = [self._of(p) for p in expr.params]
        if body is expr.body and result is expr.ret_type and all(a is b for a, b in zip(params, expr.params)):
            return expr
        return _e.Function(params, body, result, None, expr.attrs)

    def _alike(self, results):
        """The results of branches: what has no type yet takes that of the others."""
        known = next((one for one in results if id(one) not in self.pending), None)
        if known is None or known is results[0] and len(results) == 1 or not self.pending:
            return results
        return [self._settled(one, known.checked_type) if id(one) in self.pending else one for one in results]

    # -- Calls.

    def _call(self, expr):
        op, args = expr.op, [self._of(arg) for arg in expr.args]
        if isinstance(op, adt.Constructor):
            return self._construct(op, args, expr)
        if isinstance(op, _e.GlobalVar):
            func = self.instances.functions.get(op.name_hint)
            if func is None:
                return _rebuild.with_parts(expr, self._of)
            if not is_generic(func):
                if expr.type_args:
                    raise _no_type_parameters(expr)
                made = self._called(expr, op, self._fitted(func.params, args))
                if made._type is None:
                    made._type = self.instances.meet(func.ret_type)
                return made
            args = self._with_values(func, args)
            known = [None if id(arg) in self.pending else arg for arg in args]
            var, params, result = self.instances.of_global(op.name_hint, known, expr.type_args, expr.span)
            made = self._called(expr, var, self._fitted(params, args))
            made._type = result
            return made
        callee = self.generic.get(id(op), self._of(op)) if isinstance(op, _e.Expr) else None
        if is_generic(callee):
            args = self._with_values(callee, args)
            known = [None if id(arg) in self.pending else arg for arg in args]
            binds = _bound(callee, known, expr.type_args, "a function", expr.span)
            made = _Visit(self.instances, self.leaves)
            made.generic = dict(self.generic)
            callee = made.visit(_retyped(callee, binds))
            return self._called(expr, callee, self._fitted(callee.params, args))
        if isinstance(callee, _e.Expr) and not isinstance(callee, adt.Constructor) and expr.type_args:
            raise _no_type_parameters(expr)
        if isinstance(callee, _e.Function):
            return self._called(expr, callee, self._fitted(callee.params, args))
        return _rebuild.with_parts(expr, self._of)

    @staticmethod
    def _called(expr, op, args):
        """The call with other parts, at its place; the same one if they are not others."""
        if op is expr.op and len(args) == len(expr.args) and all(a is b for a, b in zip(args, expr.args)):
            return expr
        made = _e.Call(op, args)
        made._place = expr._place
        return made

    def _fitted(self, params, args):
        return [self._settled(arg, param._type) for param, arg in zip(params, args)] + args[len(params):]

    # -- Functions and constructors with type parameters as values.

    def _is_generic_value(self, expr):
        if isinstance(expr, adt.Constructor):
            return expr._data is not None and bool(expr._data.type_vars)
        return isinstance(expr, _e.GlobalVar) and is_generic(self.instances.functions.get(expr.name_hint))

    def _with_values(self, func, args):
        """The arguments of a call; what has type parameters gets the types that the other arguments tell."""
        if not any(map(self._is_generic_value, args)):
            return args
        binds, pairs = {}, list(zip(func.params, args))
        for param, arg in pairs:
            if param._type is not None and id(arg) not in self.pending and not self._is_generic_value(arg):
                _tp.unify(param._type, arg.checked_type, binds)
        wanted = [None if param._type is None else _tp.substitute(param._type, binds) for param, _ in pairs]
        return [self._settled(arg, one) for arg, one in zip(args, wanted)] + args[len(wanted):]

    def _value(self, expr, wanted):
        """A function or constructor with type parameters, as a value of the FuncType `wanted`; itself if that
        does not tell all of its types.
        """
        if isinstance(expr, adt.Constructor):
            names, params = expr._data.type_vars, expr.inputs
            result = expr._data.header(*names)
        else:
            func = self.instances.functions[expr.name_hint]
            names, params, result = func.type_params, [param._type for param in func.params], func.ret_type
        binds = {}
        for own, given in zip([*params, result], [*wanted.params, wanted.result]):
            if own is not None:
                _tp.unify(own, given, binds)
        if any(one.name not in binds for one in names):
            return expr
        types = [binds[one.name] for one in names]
        if isinstance(expr, adt.Constructor):
            self.instances.definitions.setdefault(expr._data.header.name, expr._data)
            return self.instances.data_type(expr._data.header(*types)).constructors[expr.tag]
        made, params, result = self.instances.of_global(expr.name_hint, [], types, expr.span)
        made._type = type(wanted)([param._type for param in params], result)
        return made

    # -- Data types.

    def _construct(self, constructor, args, expr):
        data = constructor._data
        if data is None or not data.type_vars:
            return _rebuild.with_parts(expr, self._of)
        self.instances.definitions.setdefault(data.header.name, data)
        binds = {var.name: one for var, one in zip(data.type_vars, expr.type_args or ())}
        for wanted, arg in zip(constructor.inputs, args):
            if id(arg) not in self.pending:
                _tp.unify(wanted, arg.checked_type, binds)
        made = _e.Call(constructor, args)
        made._place = expr._place
        if any(var.name not in binds for var in data.type_vars):
            self.pending[id(made)] = (made, data)
            return made
        return self._settled_call(made, data, binds)

    def _settled(self, expr, wanted):
        """`expr`, whose type is `wanted` if it was not known."""
        if type(wanted).__name__ == "FuncType" and self._is_generic_value(expr):
            return self._value(expr, wanted)
        if wanted is None or id(expr) not in self.pending:
            return expr
        made, data = self.pending[id(expr)]
        if data is None:
            return _rebuild.with_parts(made, lambda part: self._settled(part, wanted))
        binds = {}
        _tp.unify(data.header(*data.type_vars), wanted, binds)
        return self._settled_call(made, data, binds) if len(binds) == len(data.type_vars) else expr

    def _settled_call(self, call, data, binds):
        one = data.header(*[binds[var.name] for var in data.type_vars])
        constructor = self.instances.data_type(one).constructors[call.op.tag]
        args = [self._settled(arg, wanted) for arg, wanted in zip(call.args, constructor.inputs)]
        made = _e.Call(constructor, args + call.args[len(args):])
        made._type = one
        return made

    def _refine(self, match):
        """Gives the variables of patterns their types."""
        one = self._type_of(self._of(match.data))
        for clause in match.clauses if one is not None else ():
            self._pattern(clause.lhs, one)

    def _pattern(self, pattern, one):
        """The pattern for values of a type; its variables are bound."""
        if isinstance(pattern, adt.PatternVar):
            if id(pattern.var) not in self.made:
                self._put(pattern.var, _e.Var(pattern.var.name_hint, one))
            return adt.PatternVar(self._of(pattern.var))
        if isinstance(pattern, adt.PatternTuple):
            return adt.PatternTuple([self._pattern(p, t) for p, t in zip(pattern.patterns, one.fields)])
        if not isinstance(pattern, adt.PatternConstructor):
            return pattern
        constructor = pattern.constructor
        if constructor._data is not None and constructor._data.type_vars:
            self.instances.definitions.setdefault(constructor._data.header.name, constructor._data)
            constructor = self.instances.data_type(one).constructors[constructor.tag]
        return adt.PatternConstructor(constructor, [self._pattern(p, t) for p, t in
                                                    zip(pattern.patterns, constructor.inputs)])

    def _match(self, expr):
        data = self._of(expr.data)
        results = self._alike([self._of(clause.rhs) for clause in expr.clauses])
        one = self._type_of(data)
        made = adt.Match(data, [adt.Clause(clause.lhs if one is None else self._pattern(clause.lhs, one), result)
                                for clause, result in zip(expr.clauses, results)])
        return self._maybe_pending(made, results)


def _parts(expr):
    from .analysis import post_order

    return post_order(expr)
