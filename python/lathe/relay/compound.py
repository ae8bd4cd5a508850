"""Expressions of several parts: tuples, `let`, `if`, functions."""

from .._type_params import IncompleteType, declared
from ..error import LatheTypeError
from . import expr as _e


class Tuple(_e.Expr):
    """A tuple of expressions.

    Example:
        >>> from lathe import relay
        >>> relay.Tuple([relay.const(1), relay.const(2.0)]).checked_type
        (int32[], float32[])
    """

    __slots__ = ("fields",)

    def __init__(self, fields, span=None):
        super().__init__(span)
        self.fields = [_e.as_expr(field, f"field {i} of a tuple") for i, field in enumerate(fields)]

    def __getitem__(self, index):
        if not isinstance(index, int):
            return super().__getitem__(index)
        return self.fields[index]

    def __len__(self):
        return len(self.fields)

    def __iter__(self):
        return iter(self.fields)


class TupleGetItem(_e.Expr):
    """Field `index` of a tuple.

    Example:
        >>> from lathe import relay
        >>> relay.TupleGetItem(relay.Tuple([relay.const(1), relay.const(2.0)]), 1).checked_type
        float32[]
    """

    __slots__ = ("tuple_value", "index")

    def __init__(self, tuple_value, index, span=None):
        super().__init__(span)
        self.tuple_value = _e.as_expr(tuple_value, "the tuple")
        self.index = int(index)


class TupleWrapper:
    """The results of an operator that has several: indexes, unpacks, and `astuple()`.

    Example:
        >>> from lathe import relay
        >>> weights = [relay.var(name) for name in ("gamma", "beta", "mean", "variance")]
        >>> y, mean, variance = relay.nn.batch_norm(relay.var("x", shape=(2, 3)), *weights)
        >>> mean.checked_type
        float32[3]
    """

    __slots__ = ("tuple_value", "size")

    def __init__(self, tuple_value, size):
        self.tuple_value = tuple_value
        self.size = size

    def astuple(self):
        """The expression that gives the tuple."""
        return self.tuple_value

    @property
    def checked_type(self):
        """The tuple's type."""
        return self.tuple_value.checked_type

    def astext(self, show_meta_data=True):
        """The text of the tuple as a graph."""
        return self.tuple_value.astext(show_meta_data)

    def __getitem__(self, index):
        if not isinstance(index, int) or not -self.size <= index < self.size:
            raise IndexError(f"there are {self.size} results; there is none of number {index}")
        return TupleGetItem(self.tuple_value, index % self.size)

    def __len__(self):
        return self.size

    def __iter__(self):
        return iter([self[i] for i in range(self.size)])

    def __repr__(self):
        return f"TupleWrapper({self.tuple_value!r}, {self.size})"


class Let(_e.Expr):
    """`value`, bound to `variable` in `body`.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x")
        >>> relay.Let(x, relay.const(2.0), x * x).checked_type
        float32[]
    """

    __slots__ = ("var", "value", "body")

    def __init__(self, variable, value, body, span=None):
        super().__init__(span)
        if not isinstance(variable, _e.Var):
            raise LatheTypeError("a let must bind a variable", "relay-expression-type",
                                 f"found: {type(variable).__name__}")
        self.var, self.value, self.body = variable, _e.as_expr(value), _e.as_expr(body)


class If(_e.Expr):
    """`true_branch` if the condition (a bool of rank 0) is true, else `false_branch`.

    Only the chosen branch is computed. The branches have the same type.

    Example:
        >>> from lathe import relay
        >>> c = relay.var("c", shape=(), dtype="bool")
        >>> relay.If(c, relay.const(1.0), relay.const(2.0)).checked_type
        float32[]
    """

    __slots__ = ("cond", "true_branch", "false_branch")

    def __init__(self, cond, true_branch, false_branch, span=None):
        super().__init__(span)
        self.cond, self.true_branch = _e.as_expr(cond), _e.as_expr(true_branch)
        self.false_branch = _e.as_expr(false_branch)


class Function(_e.Expr):
    """A function of variables.

    Args:
        params: a list of Var. Those of a module's function must have types.
        body: the result; a list or tuple of results becomes a Tuple.
        ret_type: the result's type; only a function that calls itself needs it.
        type_params: TypeVars that stand for types of parameters and result, mostly none. Each call decides
            which types they are.
        attrs: {name: value}, notes for passes.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> relay.Function([x], x + x).checked_type
        fn(float32[2]) -> float32[2]
    """

    __slots__ = ("params", "body", "ret_type", "attrs", "type_params")

    def __init__(self, params, body, ret_type=None, type_params=None, attrs=None, span=None):
        super().__init__(span)
        params = list(params)
        for i, param in enumerate(params):
            if not isinstance(param, _e.Var):
                raise LatheTypeError(f"parameter {i} of a function is no variable",
                                     "relay-expression-type", f"found: {type(param).__name__}\n"
                                     "help: relay.var makes variables")
        self.params, self.body = params, _e.as_expr(body, "the body")
        self.ret_type = None if isinstance(ret_type, IncompleteType) else ret_type
        self.attrs, self.type_params = dict(attrs or {}), declared(type_params, "a function")

    def _heading(self):
        return "" if self._type is not None else f"({', '.join(map(repr, self.params))})"

    def with_attr(self, attr_key_or_dict, attr_value=None):
        """A function with further attributes."""
        more = attr_key_or_dict if isinstance(attr_key_or_dict, dict) \
            else {attr_key_or_dict: attr_value}
        return Function(self.params, self.body, self.ret_type, self.type_params, {**self.attrs, **more})


def bind(expr, binds):
    """`expr` with variables replaced.

    Args:
        expr: an expression. Parameters of a Function that are replaced are no longer parameters.
        binds: {Var, or name of a parameter of `expr`: expression}.

    Example:
        >>> from lathe import relay
        >>> x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(2,))
        >>> len(relay.bind(relay.Function([x, y], x + y), {y: relay.const([1.0, 2.0])}).params)
        1
    """
    from . import _rebuild

    if isinstance(expr, Function):
        named = {param.name_hint: param for param in expr.params}
        chosen = {named.get(key, key): _e.as_expr(value) for key, value in binds.items()}
        params = [param for param in expr.params if param not in chosen]
        return Function(params, _rebuild.substitute(expr.body, chosen), expr.ret_type,
                        expr.type_params, expr.attrs)
    return _rebuild.substitute(expr, {key: _e.as_expr(value) for key, value in binds.items()})
