"""The kinds of patterns.

A pattern's method `_ways(matcher, expr)` is a generator: it yields once for each way in which the
pattern matches `expr`, with the matcher holding what is bound to the inner patterns at that moment.
"""

from ...error import LatheTypeError
from .. import expr as _e
from . import _values as values

#: Operators whose two operands may be in either order.
COMMUTATIVE = ("add", "multiply")


class DFPattern:
    """Base of the patterns. Patterns are compared by identity.

    `pattern(a, b)` is a call of what the pattern matches; `p | q` matches either; `+ - * /` make
    patterns of the operators.

    Example:
        >>> from lathe import relay
        >>> from lathe.relay.dataflow_pattern import wildcard
        >>> x = relay.var("x", shape=(2,))
        >>> (wildcard() + wildcard()).match(x + x)
        True
    """

    def __call__(self, *args):
        """A call: operator and arguments match in order. `pattern(*args)`."""
        return CallPattern(self, list(args))

    def __or__(self, other):
        return AltPattern(self, other)

    def __add__(self, other):
        return _call("add", self, other)

    def __sub__(self, other):
        return _call("subtract", self, other)

    def __mul__(self, other):
        return _call("multiply", self, other)

    def __truediv__(self, other):
        return _call("divide", self, other)

    def has_attr(self, attrs):
        """The pattern, for calls, operators and functions with these attributes: {name: value}."""
        return AttrPattern(self, attrs)

    def has_type(self, ttype):
        """The pattern, for expressions of a type."""
        return TypePattern(self, ttype)

    def has_dtype(self, dtype):
        """The pattern, for tensors of an element type."""
        return DataTypePattern(self, dtype)

    def has_shape(self, shape):
        """The pattern, for tensors of a shape."""
        return ShapePattern(self, shape)

    def match(self, expr):
        """Does the pattern match `expr`?"""
        from ._matcher import match

        return match(self, expr)

    def partition(self, expr, attrs=None, check=lambda x: True):
        """`expr` with each match as a call of a function. See `partition`."""
        from ._rewriter import partition

        return partition(self, expr, attrs, check)

    def dominates(self, parent, path=None):
        """This pattern, computed from `parent` along all ways by what matches `path`.

        Args:
            parent: a pattern.
            path: a pattern for each expression in between; by default anything.
        """
        return DominatorPattern(parent, WildcardPattern() if path is None else path, self)

    def optional(self, option_constructor):
        """This pattern, or `option_constructor(this pattern)`.

        Args:
            option_constructor: DFPattern -> DFPattern, what may follow.
        """
        return self | option_constructor(self)

    def _ways(self, matcher, expr):
        raise NotImplementedError


def _call(op, *operands):
    return CallPattern(ExprPattern(_e.Op(op)), list(operands))


def pattern_of(item):
    """`item`, which must be a pattern; an expression becomes an ExprPattern."""
    if isinstance(item, DFPattern):
        return item
    if isinstance(item, (_e.Expr, _e.Op)):
        return ExprPattern(item)
    raise LatheTypeError("a pattern must be made of patterns", "relay-pattern-type",
                         f"found: {type(item).__name__}\nhelp: wildcard(), is_op(name), is_expr(e)")


def _patterns(items):
    return None if items is None else [pattern_of(item) for item in items]


class ExprPattern(DFPattern):
    """One expression, or one operator.

    Args:
        expr: the expression: compared by identity, and constants by value.
    """

    def __init__(self, expr):
        self.expr = expr

    def _ways(self, matcher, expr):
        if values.same_leaf(self.expr, expr):
            yield


class VarPattern(DFPattern):
    """A variable; of a name, if `name_hint` is not empty."""

    def __init__(self, name_hint=""):
        self.name = name_hint

    def _ways(self, matcher, expr):
        if isinstance(expr, _e.Var) and self.name in ("", expr.name_hint):
            yield


class ConstantPattern(DFPattern):
    """A constant."""

    def _ways(self, matcher, expr):
        if isinstance(expr, _e.Constant):
            yield


class WildcardPattern(DFPattern):
    """Any expression."""

    def _ways(self, matcher, expr):
        yield


class CallPattern(DFPattern):
    """A call.

    Args:
        op: a pattern for what is called.
        args: patterns for the arguments; None: any.
    """

    def __init__(self, op, args):
        self.op, self.args = pattern_of(op), _patterns(args)

    def _ways(self, matcher, expr):
        if not isinstance(expr, _e.Call):
            return
        for _ in matcher.ways(self.op, expr.op):
            if self.args is None:
                yield
            elif len(self.args) == len(expr.args):
                yield from matcher.all_of(self.args, expr.args)
                if isinstance(expr.op, _e.Op) and expr.op.name in COMMUTATIVE \
                        and len(self.args) == 2:
                    yield from matcher.all_of(self.args, expr.args[::-1])


class FunctionPattern(DFPattern):
    """A function.

    Args:
        params: patterns for the parameters; None: any.
        body: a pattern for the body.
    """

    def __init__(self, params, body):
        self.params, self.body = _patterns(params), pattern_of(body)

    def _ways(self, matcher, expr):
        if not isinstance(expr, _e.Function):
            return
        if self.params is None:
            yield from matcher.ways(self.body, expr.body)
        elif len(self.params) == len(expr.params):
            yield from matcher.all_of([*self.params, self.body], [*expr.params, expr.body])


class IfPattern(DFPattern):
    """An If, of patterns for its three parts."""

    def __init__(self, cond, true_branch, false_branch):
        self.parts = _patterns([cond, true_branch, false_branch])
        self.cond, self.true_branch, self.false_branch = self.parts

    def _ways(self, matcher, expr):
        if isinstance(expr, _e.If):
            yield from matcher.all_of(self.parts, [expr.cond, expr.true_branch, expr.false_branch])


class LetPattern(DFPattern):
    """A Let, of patterns for its three parts."""

    def __init__(self, var, value, body):
        self.parts = _patterns([var, value, body])
        self.var, self.value, self.body = self.parts

    def _ways(self, matcher, expr):
        if isinstance(expr, _e.Let):
            yield from matcher.all_of(self.parts, [expr.var, expr.value, expr.body])


class TuplePattern(DFPattern):
    """A tuple.

    Args:
        fields: patterns for the fields; None: any.
    """

    def __init__(self, fields):
        self.fields = _patterns(fields)

    def _ways(self, matcher, expr):
        if not isinstance(expr, _e.Tuple):
            return
        if self.fields is None:
            yield
        elif len(self.fields) == len(expr.fields):
            yield from matcher.all_of(self.fields, expr.fields)


class TupleGetItemPattern(DFPattern):
    """A field of a tuple.

    Args:
        tuple_value: a pattern for the tuple.
        index: the number of the field; None or -1: any.
    """

    def __init__(self, tuple_value, index=None):
        self.tuple, self.index = pattern_of(tuple_value), -1 if index is None else index

    def _ways(self, matcher, expr):
        if isinstance(expr, _e.TupleGetItem) and self.index in (-1, expr.index):
            yield from matcher.ways(self.tuple, expr.tuple_value)


class AltPattern(DFPattern):
    """One pattern or another."""

    def __init__(self, left, right):
        self.left, self.right = pattern_of(left), pattern_of(right)

    def _ways(self, matcher, expr):
        yield from matcher.ways(self.left, expr)
        yield from matcher.ways(self.right, expr)


class TypePattern(DFPattern):
    """What `pattern` matches, of a type."""

    def __init__(self, pattern, ttype):
        self.pattern, self.type = pattern_of(pattern), ttype

    def _ways(self, matcher, expr):
        if isinstance(expr, _e.Expr) and values.same_type(expr.checked_type, self.type):
            yield from matcher.ways(self.pattern, expr)


class DataTypePattern(DFPattern):
    """What `pattern` matches, if it is a tensor of an element type."""

    def __init__(self, pattern, dtype):
        self.pattern, self.dtype = pattern_of(pattern), str(dtype)

    def _ways(self, matcher, expr):
        if isinstance(expr, _e.Expr) and getattr(expr.checked_type, "dtype", None) == self.dtype:
            yield from matcher.ways(self.pattern, expr)


class ShapePattern(DFPattern):
    """What `pattern` matches, if it is a tensor of a shape."""

    def __init__(self, pattern, shape):
        self.pattern, self.shape = pattern_of(pattern), tuple(shape)

    def _ways(self, matcher, expr):
        if isinstance(expr, _e.Expr) and values.has_shape(expr.checked_type, self.shape):
            yield from matcher.ways(self.pattern, expr)


class AttrPattern(DFPattern):
    """What `pattern` matches, with attributes: of a call, a function or an operator.

    Operators have the attribute `TOpPattern`, how they can be fused: `relay.op.OpPattern`.
    """

    def __init__(self, pattern, attrs):
        self.pattern, self.attrs = pattern_of(pattern), dict(attrs)

    def _ways(self, matcher, expr):
        if values.has_attrs(expr, self.attrs):
            yield from matcher.ways(self.pattern, expr)


class DominatorPattern(DFPattern):
    """What `child` matches, if all it is computed from is one `parent`, along `path`.

    Each operand of the child, and of what is between, matches `path` or is the parent; and nothing
    but the child and what is between uses the parent or what is between.

    Args:
        parent, path, child: patterns.
    """

    def __init__(self, parent, path, child):
        self.parent, self.path, self.child = _patterns([parent, path, child])

    def _ways(self, matcher, expr):
        for _ in matcher.ways(self.child, expr):
            yield from matcher.dominated(self, expr)
