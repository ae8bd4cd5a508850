"""Conditions and bindings that a loop does not change go in front of it."""

import enum

from .._nodes import CLASSES
from ..error import LatheValueError
from ..ir import structural_equal
from ..transform import PassContext
from .functor import free_vars, ir_transform, post_order_visit, renew_defs

_OPTION, _OF_STATEMENTS = "tir.HoistExpression", "tir.HoistIfThenElse"
#: A loop is written out for at most so many conditions: each one doubles it.
_MOST = 4


class HoistedConditionals(enum.IntFlag):
    """Which conditions go in front of loops: of `if` statements, of `if_then_else` and selects, parts of `and`
    and `or`; and also those that depend on a thread axis.

    Example:
        >>> from lathe import tir
        >>> tir.transform.HoistedConditionals.IfElseStmt in tir.transform.HoistedConditionals.All
        True
    """

    Never, IfElseStmt, IfElseExpr, BooleanExpression, UsingBlockVar = 0, 1, 2, 4, 8
    All = 15


class HoistedLetBindings(enum.IntFlag):
    """Which bindings go in front of loops: those that such a condition needs, of statements, of expressions.

    Example:
        >>> from lathe import tir
        >>> int(tir.transform.HoistedLetBindings.All)
        7
    """

    Never, RequiredByConditional, LetStmt, LetExpr = 0, 1, 2, 4
    All = 7


def hoisted(func, conditions, bindings):
    """A function whose loops have such conditions and bindings in front of them.

    Args:
        func: a tir.Func.
        conditions, bindings: flags.
    """
    threads = []
    post_order_visit(func.body, lambda node: threads.append(node.var) if _is_thread(node) else None)
    if conditions & HoistedConditionals.UsingBlockVar:
        threads = []

    def outward(loop):
        made = _Loop(conditions, bindings, threads).outward(loop, _MOST)
        return None if made is loop else made

    return func.with_body(ir_transform(func.body, None, outward, ["For"]))


def options():
    """The flags of the PassContext's config "tir.HoistExpression"; all but UsingBlockVar by default."""
    conditions, bindings = _given(_OPTION, {
        "hoisted_conditionals": HoistedConditionals.All & ~HoistedConditionals.UsingBlockVar,
        "hoisted_let_bindings": HoistedLetBindings.All})
    return HoistedConditionals(int(conditions)), HoistedLetBindings(int(bindings))


def on_threads():
    """Does the PassContext's config let HoistIfThenElse move conditions that depend on a thread axis?"""
    return bool(*_given(_OF_STATEMENTS, {"support_block_scope_hosting": False}))


def _given(option, defaults):
    """The values that the PassContext's config has for the keys of `defaults`."""
    given = dict(PassContext.current().config.get(option, {}))
    for key in given:
        if key not in defaults:
            raise LatheValueError(f"there is no option `{key}` of {option}", "unknown-option",
                                  "expected: " + ", ".join(defaults))
    return [given.get(key, value) for key, value in defaults.items()]


def _is_thread(node):
    return isinstance(node, CLASSES["For"]) and node.for_kind == "thread"


def _defined(stmt):
    """The variables that a statement defines."""
    found = []
    post_order_visit(stmt, lambda node: found.append(node.var) if isinstance(
        node, (CLASSES["For"], CLASSES["LetStmt"], CLASSES["Let"])) else None)
    return found


class _Loop:
    def __init__(self, conditions, bindings, threads):
        self.conditions, self.bindings, self.threads = conditions, bindings, threads

    def outward(self, loop, most):
        """What stands for a loop."""
        if _is_thread(loop):
            return loop
        made = self._binding(loop)
        if made is not None:
            value, var, inner = made
            return CLASSES["LetStmt"](var, value, self.outward(inner, most))
        condition = self._condition(loop) if most else None
        if condition is None:
            return loop
        yes, no = (_decided(loop, condition, value) for value in (True, False))
        yes, no = (self.outward(one, most - 1) if isinstance(one, CLASSES["For"]) else one for one in (yes, no))
        if structural_equal(yes, no):
            return yes
        return CLASSES["If"](condition, yes, None if _is_empty(no) else renew_defs(no))

    def _may_move(self, expr, inner):
        """Is it the same in each iteration, and can it be computed where it was not?"""
        used = free_vars(expr)
        return not may_fail(expr) and not any(a.same_as(b) for a in used for b in [*inner, *self.threads])

    def _conditions(self, loop):
        """The conditions within a loop of the kinds that are wanted."""
        found = []

        def consider(expr):
            if type(expr).__name__ in ("And", "Or") and self.conditions & HoistedConditionals.BooleanExpression:
                consider(expr.a)
                consider(expr.b)
            elif not hasattr(expr, "value"):
                found.append(expr)

        def visit(node):
            if isinstance(node, CLASSES["If"]) and self.conditions & HoistedConditionals.IfElseStmt:
                consider(_plain(node.condition))
            elif self.conditions & HoistedConditionals.IfElseExpr:
                if isinstance(node, CLASSES["Select"]):
                    consider(node.condition)
                elif isinstance(node, CLASSES["Call"]) and node.op == "if_then_else":
                    consider(_plain(node.args[0]))

        post_order_visit(loop.body, visit)
        return found

    def _condition(self, loop):
        """The first condition within a loop that may move; None if there is none."""
        inner = _defined(loop)
        return next((one for one in self._conditions(loop) if self._may_move(one, inner)), None)

    def _required(self, loop, bindings, inner):
        """The variables of bindings in a loop that a condition needs, which could move if they did."""
        values, needed = {node.var: node.value for node in bindings}, []
        for condition in self._conditions(loop):
            used, work = [], [condition]
            while work:
                more = [var for var in free_vars(work.pop()) if var in values and not _among(var, used)]
                used += more
                work += [values[var] for var in more]
            parts, others = [condition, *(values[var] for var in used)], [v for v in inner if not _among(v, used)]
            if all(self._may_move(part, others) for part in parts):
                needed += used
        return needed

    def _binding(self, loop):
        """(value, variable, the loop without the binding) of a binding that may move; None if there is none."""
        inner, bindings = _defined(loop), []
        post_order_visit(loop.body, lambda node: bindings.append(node) if isinstance(
            node, (CLASSES["LetStmt"], CLASSES["Let"])) else None)
        bindings = [one for one in bindings if sum(one.var.same_as(other) for other in inner) == 1]
        required = self._required(loop, bindings, inner) if \
            self.bindings & HoistedLetBindings.RequiredByConditional else []
        for one in bindings:
            kind = HoistedLetBindings.LetStmt if isinstance(one, CLASSES["LetStmt"]) else HoistedLetBindings.LetExpr
            if (self.bindings & kind or _among(one.var, required)) and self._may_move(one.value, inner):
                return one.value, one.var, ir_transform(
                    loop, None, lambda node: node.body if node.var.same_as(one.var) else None, [type(one).__name__])
        return None


def _among(var, variables):
    return any(var.same_as(one) for one in variables)


#: Calls that compute a number and nothing else.
_HARMLESS = ("exp", "exp2", "exp10", "log", "log2", "log10", "log1p", "sqrt", "rsqrt", "tanh", "sigmoid", "sin", "cos",
             "tan", "erf", "floor", "ceil", "round", "trunc", "abs", "fma", "pow", "popcount", "if_then_else",
             "likely", "reinterpret")


def may_fail(expr):
    """Can computing an expression where it was not computed before fail, or do anything else?

    Loads may be outside of their buffers, and divisions by what is no constant may be by 0.
    """
    found = []

    def visit(node):
        kind = type(node).__name__
        divides = kind in ("Div", "Mod", "FloorDiv", "FloorMod", "TruncDiv", "TruncMod")
        if kind in ("Load", "Reduce") or kind == "Call" and node.op not in _HARMLESS or \
                divides and not getattr(node.b, "value", 0):
            found.append(node)

    post_order_visit(expr, visit)
    return bool(found)


def _plain(condition):
    return condition.args[0] if isinstance(condition, CLASSES["Call"]) and condition.op == "likely" else condition


def _decided(loop, condition, value):
    """The loop for a known value of the condition."""
    known = CLASSES["IntImm"]("bool", int(value))
    body = ir_transform(loop, None, lambda node: known if structural_equal(node, condition) else None,
                        [type(condition).__name__])
    return ir_transform(body, None, _chosen, ["If", "Select", "Call", "And", "Or", "Seq", "For", "LetStmt", "Attr"])


def _chosen(node):
    """A node without what is decided; None if nothing is."""
    kind = type(node).__name__
    if kind == "If" and hasattr(_plain(node.condition), "value"):
        kept = node.then_case if _plain(node.condition).value else node.else_case
        return _nothing() if kept is None else kept
    if kind == "Select" and hasattr(node.condition, "value"):
        return node.true_value if node.condition.value else node.false_value
    if kind == "Call" and node.op == "if_then_else" and hasattr(_plain(node.args[0]), "value"):
        return node.args[1] if _plain(node.args[0]).value else node.args[2]
    if kind in ("And", "Or"):
        decides = 0 if kind == "And" else 1
        for one, other in ((node.a, node.b), (node.b, node.a)):
            if hasattr(one, "value"):
                return one if one.value == decides else other
    if kind == "Seq":
        left = [one for one in node.stmts if not _is_empty(one)]
        return None if len(left) == len(node.stmts) else left[0] if len(left) == 1 else CLASSES["Seq"](left)
    if kind in ("For", "LetStmt") and _is_empty(node.body):
        return _nothing()
    return None


def _nothing():
    return CLASSES["Evaluate"](0)


def _is_empty(stmt):
    return isinstance(stmt, CLASSES["Seq"]) and not stmt.stmts or \
        isinstance(stmt, CLASSES["Evaluate"]) and hasattr(stmt.value, "value")
