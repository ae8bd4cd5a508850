"""From graphs to expressions: what passes made, as expressions again."""

from .. import _nodes
from . import expr as _e


def function_of(func):
    """The Function for a typed GraphFunc."""
    return _Reader().function(func)


class _Reader:
    def __init__(self):
        self.made = {}

    def function(self, func):
        params = []
        for param in func.params:
            var = _e.Var(param.name, param.type)
            self.made[param] = var
            params.append(var)
        body = self.block(func.body)
        made = _e.Function(params, body, func.result_type, None, func.attrs)
        return made

    def block(self, block):
        for binding in block.bindings:
            var = binding.var
            expr = self.value(binding.value, var.name)
            if var.type is not None and expr._type is None:
                expr._type = var.type
            self.made[var] = expr
        return self.made[block.result]

    def value(self, value, name):
        made, kind = self.made, type(value).__name__
        if kind == "Constant":
            return _e.Constant(value, name)
        if kind == "GraphCall":
            call = _e.Call.__new__(_e.Call)
            _e.Expr.__init__(call)
            call.op, call.args, call._node = _e.Op(value.op), [made[a] for a in value.args], value
            return call
        if kind == "GraphTuple":
            return _e.Tuple([made[field] for field in value.fields])
        if kind == "GraphTupleGet":
            return _e.TupleGetItem(made[value.tuple], value.index)
        if kind == "GraphInvoke":
            callee = made[value.callee] if value.callee is not None else \
                _e.GlobalVar(value.function)
            return _e.Call(callee, [made[arg] for arg in value.args])
        if kind == "GraphIf":
            return _e.If(made[value.condition], self.block(value.then_block),
                         self.block(value.else_block))
        if kind == "GraphFunc":
            return self.function(value)
        return Opaque(value, [made[arg] for arg in _used(value)])


class Opaque(_e.Expr):
    """A value that expressions cannot describe: a loop, a match, a value of a data type."""

    __slots__ = ("node", "used")

    def __init__(self, node, used):
        super().__init__()
        self.node, self.used = node, used


def _used(value):
    """The variables of outer bodies that a loop or match uses."""
    defined, found = set(), {}

    def visit(node):
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
    return [var for var in found if var not in defined]
