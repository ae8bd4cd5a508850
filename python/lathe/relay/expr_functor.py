"""Visitors and mutators of expressions."""

from . import _rebuild, adt, reference
from . import expr as _e
from .analysis import _inner, post_order

_METHODS = {_e.Var: "visit_var", _e.Constant: "visit_constant", _e.Call: "visit_call",
            _e.Tuple: "visit_tuple", _e.TupleGetItem: "visit_tuple_getitem", _e.If: "visit_if",
            _e.Let: "visit_let", _e.Function: "visit_function",
            _e.GlobalVar: "visit_global_var", _e.Op: "visit_op",
            adt.Constructor: "visit_constructor", adt.Match: "visit_match",
            reference.RefCreate: "visit_ref_create", reference.RefRead: "visit_ref_read",
            reference.RefWrite: "visit_ref_write"}


class ExprFunctor:
    """A function of expressions with a method for each kind; derive from it.

    Example:
        >>> from lathe import relay
        >>> class Depth(relay.ExprFunctor):
        ...     def visit_var(self, var):
        ...         return 0
        ...     def visit_call(self, call):
        ...         return 1 + max(self.visit(arg) for arg in call.args)
        >>> x = relay.var("x", shape=(2,))
        >>> Depth().visit(x * x + x)
        2
    """

    def __init__(self):
        self.memo_map = {}

    def visit(self, expr):
        """The result for an expression. Each is visited once."""
        found = self._memo().get(id(expr))
        if found is None:
            method = getattr(self, _METHODS.get(type(expr), "visit_other"))
            found = self.memo_map[id(expr)] = (expr, method(expr))
        return found[1]

    def _memo(self):
        if not hasattr(self, "memo_map"):
            self.memo_map = {}
        return self.memo_map

    def visit_op(self, op):
        """Called for operators."""
        return op

    def visit_global_var(self, var):
        """Called for names of functions."""
        return var

    def visit_constructor(self, constructor):
        """Called for constructors of data types."""
        return constructor


class ExprVisitor(ExprFunctor):
    """Visits each part of an expression once. Override `visit_call` and the like.

    Example:
        >>> from lathe import relay
        >>> class Count(relay.ExprVisitor):
        ...     calls = 0
        ...     def visit_call(self, call):
        ...         self.calls += 1
        ...         super().visit_call(call)
        >>> x, counter = relay.var("x", shape=(2,)), Count()
        >>> counter.visit((x + x) * x)
        >>> counter.calls
        2
    """

    def _parts(self, expr):
        """Called for one kind of expressions; visits their parts. Returns None."""
        for part in _inner(expr):
            self.visit(part)

    def visit_call(self, call):
        """Called for calls; visits operator and arguments."""
        self.visit(call.op)
        for arg in call.args:
            self.visit(arg)

    def visit_function(self, fn):
        """Called for functions; visits parameters and body."""
        for param in fn.params:
            self.visit(param)
        self.visit(fn.body)

    def visit_let(self, let):
        """Called for lets; visits variable, value and body."""
        self.visit(let.var)
        self.visit(let.value)
        self.visit(let.body)

    def visit_var(self, var):
        """Called for variables."""

    def visit_constant(self, const):
        """Called for constants."""

    visit_tuple = visit_tuple_getitem = visit_if = visit_match = visit_other = _parts
    visit_ref_create = visit_ref_read = visit_ref_write = _parts


class ExprMutator(ExprFunctor):
    """Builds an expression anew. Override `visit_call` and the like to return other parts.

    Graphs may be deep: `visit` goes through the operands first, without recursion.

    Example:
        >>> from lathe import relay
        >>> class Twice(relay.ExprMutator):
        ...     def visit_constant(self, const):
        ...         return const * 2.0
        >>> x = relay.var("x", shape=(2,))
        >>> str(Twice().visit(x + 1.0)).count("multiply")
        1
    """

    _depth = 0

    def visit(self, expr):
        """The new expression."""
        if self._depth == 0 and isinstance(expr, _e.Expr):
            self._depth = 1
            try:
                for part in post_order(expr):
                    super().visit(part)
            finally:
                self._depth = 0
        return super().visit(expr)

    def _parts(self, expr):
        """Called for one kind of expressions. Returns one with the new parts; the same one if no part changed."""
        return _rebuild.with_parts(expr, self.visit)

    def visit_var(self, var):
        """Called for variables."""
        return var

    def visit_constant(self, const):
        """Called for constants."""
        return const

    visit_call = visit_function = visit_let = visit_other = _parts
    visit_tuple = visit_tuple_getitem = visit_if = visit_match = _parts
    visit_ref_create = visit_ref_read = visit_ref_write = _parts
