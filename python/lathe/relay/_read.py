"""From graphs to expressions: what passes made, as expressions again."""

from .. import _nodes
from . import _nested, adt
from . import expr as _e


def function_of(func, datatypes=None):
    """The Function for a typed GraphFunc.

    Args:
        func: the GraphFunc.
        datatypes: {name: TypeData}, those of its module.
    """
    return _nested.run(_Reader(datatypes or {}).function(func))


class _Reader:
    """Its methods are generators, which `_nested.run` runs: bodies may be nested to any depth."""

    def __init__(self, datatypes):
        self.made = {}
        self.constructors = {c.full_name: c for data in datatypes.values()
                             for c in data.constructors}

    def function(self, func):
        params = []
        for param in func.params:
            var = _e.Var(param.name, param.type)
            self.made[param] = var
            params.append(var)
        body = yield self.block(func.body)
        attrs = {name: getattr(value, "value", value) for name, value in func.attrs.items()}
        # A size that only a run knows is another one wherever the body is made again.
        known = _sizes([param.type for param in func.params])
        stated = func.result_type if _sizes([func.result_type]) <= known else None
        made = _e.Function(params, body, stated, None, attrs)
        if func.result_type is not None:
            made._type = _nodes.CLASSES["FuncType"]([param.type for param in func.params],
                                                    func.result_type)
        return made

    def block(self, block):
        for binding in block.bindings:
            var = binding.var
            value = binding.value
            inner = self.with_bodies(value)
            expr = self.value(value, var.name) if inner is None else (yield inner)
            if var.type is not None and expr._type is None:
                expr._type = var.type
            self.made[var] = expr
        return self.made[block.result]

    def clause(self, arm):
        fields = []
        for field in arm.vars:
            self.made[field] = _e.Var(field.name, field.type)
            fields.append(adt.PatternVar(self.made[field]))
        pattern = adt.PatternConstructor(self.constructors[arm.constructor], fields)
        return adt.Clause(pattern, (yield self.block(arm.block)))

    def with_bodies(self, value):
        """A generator of the expression for a value that has bodies; None for others."""
        kind = type(value).__name__
        if kind == "GraphFunc":
            return self.function(value)
        if kind == "GraphIf":
            return self.branches(value)
        if kind == "GraphMatch" and value.cases[0].constructor in self.constructors:
            return self.match(value)
        return None

    def branches(self, value):
        then = yield self.block(value.then_block)
        return _e.If(self.made[value.condition], then, (yield self.block(value.else_block)))

    def match(self, value):
        clauses = []
        for arm in value.cases:
            clauses.append((yield self.clause(arm)))
        return adt.Match(self.made[value.value], clauses)

    def value(self, value, name):
        made, kind = self.made, type(value).__name__
        if kind == "Constant":
            return _e.Constant(value, name)
        if kind == "GraphCall":
            call = _e.Call.__new__(_e.Call)
            _e.Expr.__init__(call)
            call.op, call.args, call._node = _e.Op(value.op), [made[a] for a in value.args], value
            call.type_args = ()
            return call
        if kind == "GraphTuple":
            return _e.Tuple([made[field] for field in value.fields])
        if kind == "GraphTupleGet":
            return _e.TupleGetItem(made[value.tuple], value.index)
        if kind == "GraphInvoke":
            callee = made[value.callee] if value.callee is not None else \
                _e.GlobalVar(value.function)
            return _e.Call(callee, [made[arg] for arg in value.args])
        if kind == "GraphConstruct" and value.constructor in self.constructors:
            return _e.Call(self.constructors[value.constructor], [made[a] for a in value.args])
        read, inner = _used(value)
        return Opaque(value, inner, read, [made[arg] for arg in read])


class Opaque(_e.Expr):
    """A value that expressions cannot describe: a loop, or what needs data types of a module that is
    not there.

    Args:
        node: the value.
        inner: how many bindings its bodies have.
        read: the variables of outer bodies that it reads.
        used: the expressions that stand for these variables.
    """

    __slots__ = ("node", "inner", "read", "used")

    def __init__(self, node, inner, read, used):
        super().__init__()
        self.node, self.inner, self.read, self.used = node, inner, read, used


def _sizes(nodes):
    """The sizes that types are made of."""
    found, work = set(), [node for node in nodes if node is not None]
    while work:
        node = work.pop()
        if isinstance(node, _nodes.CLASSES["Var"]):
            found.add(node)
            continue
        for field, kind, _, _ in _nodes.FIELDS[type(node).__name__]:
            item = getattr(node, field)
            items = item if kind == "list" else [item] if kind == "node" else []
            work.extend(part for part in items if part is not None)
    return found


def _used(value):
    """The variables of outer bodies that a loop uses, and the number of its bindings."""
    defined, found, bindings = set(), {}, 0

    def visit(node):
        nonlocal bindings
        bindings += isinstance(node, _nodes.CLASSES["GraphBinding"])
        if isinstance(node, _nodes.CLASSES["GraphVar"]):
            found.setdefault(node)
            return
        for field, kind, _, _ in _nodes.FIELDS[type(node).__name__]:
            item = getattr(node, field)
            items = item if kind == "list" else [item] if kind == "node" else []
            for part in items:
                if part is None:
                    continue
                if field in ("var", "carried", "params", "vars"):
                    defined.add(part)
                elif not isinstance(part, _nodes.CLASSES["TensorType"]):
                    visit(part)

    visit(value)
    return [var for var in found if var not in defined], bindings
