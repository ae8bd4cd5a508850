"""Sequences of lets, written in the order of a program."""

from ..error import LatheError, LatheValueError
from . import expr as _e


class ScopeBuilder:
    """Collects lets and ifs; `get()` gives the expression.

    Example:
        >>> from lathe import relay
        >>> sb, x = relay.ScopeBuilder(), relay.var("x", shape=(2,))
        >>> y = sb.let("y", x + x)
        >>> sb.ret(y * y)
        >>> sb.get().checked_type
        float32[2]
    """

    def __init__(self):
        self._scopes = [[]]
        self._results = [None]

    def let(self, var, value):
        """Binds `value` to a variable (or a new one of a name), and returns the variable."""
        if not isinstance(var, _e.Var):
            name, type_of = var if isinstance(var, tuple) else (var, None)
            var = _e.var(name, type_of)
        value = _e.as_expr(value)
        if var._type is None:
            try:
                var._type = value.checked_type
            except LatheError:
                pass  # known later, when the whole is part of a function
        self._scopes[-1].append((var, value))
        return var

    def if_scope(self, cond):
        """`with sb.if_scope(cond): ... sb.ret(...)`, followed by `else_scope`."""
        return _Arm(self, _e.as_expr(cond))

    def else_scope(self):
        """The other arm of the last `if_scope`."""
        pending = self._results[-1]
        if not isinstance(pending, _Pending):
            raise LatheValueError("there is no if_scope before this else_scope", "relay-scope")
        return _Arm(self, None)

    def type_of(self, expr):
        """The type of an expression."""
        return _e.as_expr(expr).checked_type

    def ret(self, value):
        """Sets the result of this scope."""
        if self._results[-1] is not None:
            raise LatheValueError("the scope has a result already", "relay-scope")
        self._results[-1] = _e.as_expr(value)

    def _close(self):
        lets, result = self._scopes.pop(), self._results.pop()
        if not isinstance(result, _e.Expr):
            raise LatheValueError("a scope has no result", "relay-scope", "help: call ret(...); an "
                                  "if_scope needs its else_scope")
        for var, value in reversed(lets):
            result = _e.Let(var, value, result)
        return result

    def get(self):
        """The expression of the whole scope."""
        result = self._close()
        self._scopes, self._results = [[]], [None]
        return result


class _Pending:
    def __init__(self, cond, then):
        self.cond, self.then = cond, then


class _Arm:
    def __init__(self, builder, cond):
        self.builder, self.cond = builder, cond

    def __enter__(self):
        self.builder._scopes.append([])
        self.builder._results.append(None)

    def __exit__(self, kind, error, traceback):
        builder = self.builder
        if kind is not None:
            builder._scopes.pop()
            builder._results.pop()
            return False
        made = builder._close()
        if self.cond is not None:
            builder._results[-1] = _Pending(self.cond, made)
        else:
            pending = builder._results[-1]
            builder._results[-1] = _e.If(pending.cond, pending.then, made)
        return False
