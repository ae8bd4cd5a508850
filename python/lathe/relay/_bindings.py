"""From expressions to graphs: the values of a function in an order in which they can be computed.

No recursion: a graph of any depth works. Methods that follow bodies within bodies (branches of `if`,
functions that are values) are generators, which `_nested.run` runs.
"""

from .. import _ffi, _nodes
from ..error import LatheTypeError, LatheValueError
from .. import _type_params
from . import _nested, adt, reference
from . import expr as _e
from ._instances import Instances
from ._loop import Loop
from ._read import Opaque

_get = _ffi.get
_bind, _bind_call, _make_var = _get("graph.bind"), _get("graph.bind_call"), _get("graph.var")
_decide = _get("graph.decide")


class _Scope:
    """The values of one body. Inner bodies see those of the outer ones."""

    __slots__ = ("outer", "made", "bindings")

    def __init__(self, outer=None):
        self.outer, self.made, self.bindings = outer, {}, []

    def find(self, expr):
        scope = self
        while scope is not None:
            found = scope.made.get(expr)
            if found is not None:
                return found
            scope = scope.outer
        return None


class _Identity(dict):
    """A dict whose keys are compared by identity. It keeps the keys alive."""

    def get(self, key):
        found = super().get(id(key))
        return found[1] if found is not None else None

    def put(self, key, value):
        self[id(key)] = (key, value)


class Converter:
    """Converts the function `name` of a module.

    Args:
        known: {id of an expression: the parameter that stands for it}.
        functions: {name: Function of the module}.
        default_name: of calls that no let names.
        instances: makes functions without type parameters; by default, of what `functions` has.
    """

    def __init__(self, known=None, functions=None, default_name="", instances=None):
        self.places = []  # (GraphVar, expression), in the order of the bindings
        self.datatypes = {}  # name -> TypeData, of the constructors that were met
        self.functions, self.known = functions or {}, known or {}
        self.default_name, self.instances = default_name, instances or Instances(self.functions)

    def function(self, func, name):
        """The GraphFunc for a Function; its variables have no types yet."""
        func = self._simple(func)
        self._known = [size for param in func.params if param.type_annotation is not None
                       for size in _get("graph.sizes_of")(param.type_annotation)]
        return _nested.run(self._function(func, name, None, []))

    def _simple(self, func):
        """The function without references and type parameters, which graphs do not have."""
        if reference.used:
            func = reference.without_references(func, self.functions, self.known)
        if _type_params.used:
            func = self.instances.function(func, self.known)
            self.datatypes.update(self.instances.datatypes)
        return func

    def _function(self, func, name, outer, known):
        scope = _Scope(outer)
        scope.made = _Identity()
        params = []
        for param in func.params:
            if param.type_annotation is None and name:
                raise LatheTypeError(f"parameter `{param.name_hint}` of function `{name}` has no "
                                     "type", "graph-type",
                                     f"help: relay.var({param.name_hint!r}, shape=(...))")
            made = _make_var(param.name_hint, param.type_annotation)
            if scope.made.get(param) is not None:
                raise LatheValueError(f"`{param.name_hint}` is a parameter twice",
                                      "relay-parameter-twice")
            params.append(made)
            scope.made.put(param, made)
        result = yield self._emit(func.body, scope)
        attrs = [[key, value] for key, value in func.attrs.items()]
        return _get("graph.func")(name, params, scope.bindings, result, func.ret_type, known, attrs)

    def _block(self, body, outer):
        scope = _Scope(outer)
        scope.made = _Identity()
        result = yield self._emit(body, scope)
        return _get("graph.block")(scope.bindings, result)

    def _add(self, scope, expr, binding):
        scope.bindings.append(binding)
        var = binding.var
        scope.made.put(expr, var)
        self.places.append((var, expr))
        return var

    def _emit(self, root, scope):
        """Adds what `root` needs to the scope; returns the GraphVar of its value."""
        names = {}  # id of the value of a let -> its name
        work = [(root, 0)]
        while work:
            expr, step = work.pop()
            if id(expr) in self.known:
                scope.made.put(expr, scope.find(self.known[id(expr)]))
                continue
            if scope.find(expr) is not None:
                continue
            if isinstance(expr, _e.Let):
                self._let(expr, step, scope, names, work)
                continue
            if step == 0:
                operands = _operands(expr)
                if operands:
                    work.append((expr, 1))
                    work.extend((operand, 0) for operand in reversed(operands))
                    continue
            if isinstance(expr, adt.Match):
                scope.made.put(expr, (yield self._match(expr, scope)))
                continue
            name = names.get(id(expr), self.default_name if isinstance(expr, _e.Call) else "")
            with_bodies = self._with_bodies(expr, scope, name)
            self._add(scope, expr, self._value(expr, scope, name) if with_bodies is None else (yield with_bodies))
        return scope.find(root)

    # -- Matches.

    def _meet(self, constructor):
        if constructor._data is None:
            raise LatheValueError("the constructor belongs to no data type", "relay-constructor",
                                  f"found: {constructor}\nhelp: relay.TypeData(...) defines it")
        self.datatypes[constructor.belong_to.name] = constructor._data

    def _meet_pattern(self, pattern):
        if isinstance(pattern, adt.PatternConstructor):
            self._meet(pattern.constructor)
        for part in getattr(pattern, "patterns", ()):
            self._meet_pattern(part)

    def _match(self, match, scope):
        """Adds a match to the scope; returns the GraphVar of its value."""
        for clause in match.clauses:
            self._meet_pattern(clause.lhs)
        types = [data._node() for data in self.datatypes.values()]
        tree = _decide(types, [clause.lhs._packed() for clause in match.clauses])
        return (yield self._decided(tree, {0: scope.find(match.data)}, match, scope))

    def _decided(self, tree, values, match, scope):
        kind, what = tree[0], tree[1]
        if kind == "clause":
            clause = match.clauses[what]
            for var, place in zip(clause.lhs._vars(), tree[2]):
                scope.made.put(var, values[place])
            return (yield self._emit(clause.rhs, scope))
        if kind == "tuple":
            for index, place in enumerate(tree[2]):
                binding = _bind(_node("GraphTupleGet", tuple=values[what], index=index), "")
                values[place] = self._add(scope, _Part(match), binding)
            return (yield self._decided(tree[3], values, match, scope))
        cases = []
        for constructor, places, inner_tree in tree[2]:
            inner = _Scope(scope)
            inner.made = _Identity()
            fields = [_make_var("", None) for _ in places]
            result = yield self._decided(inner_tree, {**values, **dict(zip(places, fields))}, match, inner)
            cases.append(_node("GraphCase", constructor=constructor, vars=fields,
                               block=_get("graph.block")(inner.bindings, result)))
        binding = _bind(_node("GraphMatch", value=values[what], cases=cases), "")
        return self._add(scope, _Part(match), binding)

    @staticmethod
    def _let(expr, step, scope, names, work):
        if step == 0:
            names[id(expr.value)] = expr.var.name_hint
            work += [(expr, 1), (expr.value, 0)]
        elif step == 1:
            scope.made.put(expr.var, scope.find(expr.value))
            work += [(expr, 2), (expr.body, 0)]
        else:
            scope.made.put(expr, scope.find(expr.body))

    def _params_of(self, var):
        """The types of the parameters of a function of the module; None if they are not known."""
        if isinstance(var._type, _nodes.CLASSES["FuncType"]):
            return var._type.params
        function = self.functions.get(var.name_hint)
        return None if function is None else [p.type_annotation for p in function.params]

    def _opaque(self, expr, scope, name):
        """A call of a function whose parameters are the variables that the value reads."""
        inner = _bind(expr.node, name)
        function = _get("graph.func")("", expr.read, [inner], inner.var, None, self._known, [])
        made = _bind(function, "")
        scope.bindings.append(made)
        # The value has its type: these places only keep the order.
        self.places.extend([(made.var, expr)] * (expr.inner + 2))
        args = [scope.find(part) for part in expr.used]
        return _bind(_node("GraphInvoke", callee=made.var, args=args), name)

    def _loop(self, loop, scope, name):
        inner = _Scope(scope)
        inner.made = _Identity()
        carried = [_make_var(var.name_hint, var.type_annotation) for var in loop.carried]
        for var, made in zip(loop.carried, carried):
            inner.made.put(var, made)
        test = yield self._block(loop.test, inner)
        body = yield self._block(loop.body, inner)
        return _bind(_node("GraphLoop", init=[scope.find(one) for one in loop.start],
                           carried=carried, condition=test, body=body), name)

    def _with_bodies(self, expr, scope, name):
        """A generator of the binding of an expression that has bodies; None for others."""
        if isinstance(expr, _e.If):
            return self._if(expr, scope, name)
        if isinstance(expr, Loop):
            return self._loop(expr, scope, name)
        if isinstance(expr, adt.Constructor):
            expr = expr.as_function()
        elif isinstance(expr, _e.GlobalVar) and self._params_of(expr) is not None:
            params = [_e.Var(f"a{i}", one) for i, one in enumerate(self._params_of(expr))]
            expr = _e.Function(params, _e.Call(expr, params))
        return self._closure(expr, scope, name) if isinstance(expr, _e.Function) else None

    def _if(self, expr, scope, name):
        then = yield self._block(expr.true_branch, scope)
        otherwise = yield self._block(expr.false_branch, scope)
        return _bind(_node("GraphIf", condition=scope.find(expr.cond), then_block=then, else_block=otherwise), name)

    def _closure(self, expr, scope, name):
        return _bind((yield self._function(expr, "", scope, self._known)), name)

    def _value(self, expr, scope, name):
        """The binding of an expression whose operands are in the scope."""
        find = scope.find
        if isinstance(expr, _e.Call):
            args = [find(arg) for arg in expr.args]
            if isinstance(expr.op, adt.Constructor):
                self._meet(expr.op)
                return _bind(_node("GraphConstruct", constructor=expr.op.full_name, args=args),
                             name)
            if expr._node is not None:
                return _bind_call(expr._node, args, name)
            if isinstance(expr.op, _e.GlobalVar):
                return _bind(_node("GraphInvoke", function=expr.op.name_hint, args=args), name)
            return _bind(_node("GraphInvoke", callee=find(expr.op), args=args), name)
        if isinstance(expr, _e.Constant):
            return _bind(expr._node, name or expr.name)
        if isinstance(expr, _e.Tuple):
            return _bind(_node("GraphTuple", fields=[find(field) for field in expr.fields]), name)
        if isinstance(expr, _e.TupleGetItem):
            return _bind(_node("GraphTupleGet", tuple=find(expr.tuple_value), index=expr.index),
                         name)
        if isinstance(expr, Opaque):
            return self._opaque(expr, scope, name)
        if isinstance(expr, _e.Var):
            raise LatheValueError(f"the variable `{expr.name_hint}` is free", "relay-free-variable",
                                  "expected: a parameter of the function, or bound by a let",
                                  where=expr.span)
        raise LatheTypeError("this expression has no value of its own", "relay-expression-type",
                             f"found: {type(expr).__name__}\nhelp: call it")


class _Part(_e.Expr):
    """A value that a match is made of; errors show the match."""

    __slots__ = ()

    def __init__(self, match):
        super().__init__()
        self._place = match._place


def _node(kind, **fields):
    return _nodes.CLASSES[kind](**fields)


def _operands(expr):
    """What is computed before an expression, in the same body."""
    if isinstance(expr, _e.Call):
        if isinstance(expr.op, (_e.Op, _e.GlobalVar, adt.Constructor)):
            return expr.args
        return [expr.op, *expr.args]
    if isinstance(expr, _e.Tuple):
        return expr.fields
    if isinstance(expr, _e.TupleGetItem):
        return [expr.tuple_value]
    if isinstance(expr, _e.If):
        return [expr.cond]
    if isinstance(expr, adt.Match):
        return [expr.data]
    if isinstance(expr, Opaque):
        return expr.used
    if isinstance(expr, Loop):
        return expr.start
    return ()


def simple_functions(items, definitions):
    """([(name, Function)], Instances): a module's functions without references and type parameters.

    Args:
        items: (name, Function) for each function, callees first.
        definitions: {name: TypeData} of the module.
    """
    functions = dict(items)
    if reference.used:
        functions = {name: reference.without_references(func, functions) for name, func in functions.items()
                     if not reference.takes_references(func)}
    instances = Instances(functions, definitions)
    if not _type_params.used:
        return list(functions.items()), instances
    plain = [(name, instances.function(func)) for name, func in functions.items() if not func.type_params]
    return [*instances.made.items(), *plain], instances


def called_by(func):
    """The names of the module's functions that a function calls, in the order of the graph."""
    from .analysis import post_order

    return [item.op.name_hint for item in post_order(func)
            if isinstance(item, _e.Call) and isinstance(item.op, _e.GlobalVar)]
