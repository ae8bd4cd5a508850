"""Rewriting what patterns match, and cutting it out."""

from ...error import LatheError, LatheTypeError, LatheValueError
from .. import _rebuild
from .. import expr as _e
from .. import analysis
from . import _values as values
from ._matcher import Matcher, Users
from ._patterns import ConstantPattern, pattern_of

#: How often `rewrite` applies a callback before it gives up.
MOST_ROUNDS = 100


class DFPatternCallback:
    """A rule of `rewrite`: derive from it, set `pattern`, and define `callback`.

    Args:
        require_type: accepted for old programs: expressions always know their types.
        rewrite_once: apply the rule in one pass, not until nothing changes.

    Example:
        >>> from lathe import relay
        >>> from lathe.relay.dataflow_pattern import DFPatternCallback, is_op, wildcard
        >>> class Halve(DFPatternCallback):
        ...     def __init__(self):
        ...         super().__init__(rewrite_once=True)
        ...         self.x = wildcard()
        ...         self.pattern = is_op("exp")(self.x)
        ...     def callback(self, pre, post, node_map):
        ...         return relay.exp2(node_map[self.x][0])
        >>> x = relay.var("x", shape=(2,))
        >>> Halve().rewrite(relay.exp(x)).op
        Op(exp2)
    """

    def __init__(self, require_type=False, rewrite_once=False):
        self.pattern, self.require_type, self.rewrite_once = None, require_type, rewrite_once

    def rewrite(self, expr):
        """`expr` with all matches rewritten."""
        return rewrite(self, expr)

    def callback(self, pre, post, node_map):
        """What stands for a match.

        Args:
            pre: the expression that matched.
            post: the same, with its operands rewritten.
            node_map: {pattern: [expressions]}: what each pattern matched, rewritten.

        Returns:
            An expression; `post` to leave it.
        """
        raise NotImplementedError("a rule must have a method `callback`")


def matches(pattern, root):
    """The matches of a pattern in a graph that do not overlap, {id of the expression: Match}.

    The last ones of the graph go first. Nothing outside of a match uses what is inside of it, but
    for its result; constants and variables belong to no match.
    """
    users = Users(root)
    found, taken = {}, set()
    for expr in reversed(users.order):
        if id(expr) in taken:
            continue
        match = Matcher(users).find(pattern, expr)
        if match is None:
            continue
        inner = {key: item for key, item in match.inner.items()
                 if item is expr or not isinstance(item, (_e.Constant, _e.Function, _e.Var))}
        if taken & inner.keys() or any(
                id(user) not in inner for item in inner.values() if item is not expr
                for user in users.of(item)):
            continue
        match.inner = inner
        taken |= inner.keys()
        found[id(expr)] = match
    return found


def _round(rule, root):
    """One pass over the graph."""
    found = matches(pattern_of(rule.pattern), root)
    if not found:
        return root
    made = {}

    def changed(part):
        return made.get(id(part), part)

    for expr in analysis.post_order(root):
        post = _rebuild.with_parts(expr, changed)
        match = found.get(id(expr))
        if match is not None:
            made[id(expr)] = post
            node_map = {pattern: [changed(item) for item in items]
                        for pattern, items in match.node_map.items()}
            post = rule.callback(expr, post, node_map)
            if not isinstance(post, (_e.Expr, _e.TupleWrapper)):
                raise LatheTypeError("the callback of a pattern returned what is no expression",
                                     "relay-pattern-result", f"found: {type(post).__name__}\n"
                                     "help: return `post` to leave the expression")
            post = _e.as_expr(post)
        made[id(expr)] = post
    return made[id(root)]


def rewrite(callbacks, expr, mod=None):
    """`expr` with what patterns match replaced, until nothing changes.

    Args:
        callbacks: a DFPatternCallback, or a list of them, which are applied in order.
        expr: an expression.
        mod: accepted for old programs.

    Raises:
        LatheValueError: `relay-pattern-rounds`: a rule still changes the expression after 100
            rounds.
        LatheTypeError: `relay-pattern-result`: a callback returns what is no expression.

    Example:
        >>> from lathe import relay
        >>> from lathe.relay.dataflow_pattern import DFPatternCallback, is_op, rewrite, wildcard
        >>> class DropRelu(DFPatternCallback):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.x = wildcard()
        ...         self.pattern = is_op("nn.relu")(is_op("nn.relu")(self.x))
        ...     def callback(self, pre, post, node_map):
        ...         return relay.nn.relu(node_map[self.x][0])
        >>> x = relay.var("x", shape=(2,))
        >>> relu = relay.nn.relu
        >>> rewrite(DropRelu(), relu(relu(relu(relu(x))))).args[0] is x
        True
    """
    expr = _e.as_expr(expr)
    for rule in callbacks if isinstance(callbacks, (list, tuple)) else [callbacks]:
        for round_number in range(MOST_ROUNDS + 1):
            if round_number == MOST_ROUNDS:
                raise LatheValueError(f"rule {type(rule).__name__} still changes the graph after "
                                      f"{MOST_ROUNDS} rounds", "relay-pattern-rounds",
                                      "help: its result must not match its own pattern, or "
                                      "rewrite_once=True")
            before, expr = expr, _round(rule, expr)
            if rule.rewrite_once or expr is before or same_graph(expr, before):
                break
    return expr


def same_graph(a, b):
    """Do two expressions consist of the same calls of the same leaves?"""
    left, right = analysis.post_order(a), analysis.post_order(b)
    if len(left) != len(right):
        return False
    number = {id(item): i for i, item in enumerate(left)}
    other = {id(item): i for i, item in enumerate(right)}
    for one, two in zip(left, right):
        if type(one) is not type(two) or not _same_node(one, two):
            return False
        parts, others = analysis._inner(one), analysis._inner(two)
        if [number[id(p)] for p in parts] != [other[id(p)] for p in others]:
            return False
    return True


def _same_node(one, two):
    if isinstance(one, _e.Call):
        return isinstance(one.op, _e.Op) == isinstance(two.op, _e.Op) and \
            (not isinstance(one.op, _e.Op) or one.op == two.op) and \
            values.same_value(sorted(map(list, one.attrs.items())),
                              sorted(map(list, two.attrs.items())))
    if isinstance(one, _e.TupleGetItem):
        return one.index == two.index
    if isinstance(one, _e.Function):
        return len(one.params) == len(two.params) and \
            all(p is q for p, q in zip(one.params, two.params))
    if isinstance(one, _e.Let):
        return one.var is two.var
    if isinstance(one, (_e.Var, _e.Constant, _e.GlobalVar)):
        return values.same_leaf(one, two)
    return isinstance(one, (_e.Tuple, _e.If)) or one is two


def partition(pattern, expr, attrs=None, check=lambda x: True):
    """`expr` with each match as a call of a function of its own.

    Args:
        pattern: a pattern.
        expr: an expression.
        attrs: {name: value}, attributes of the functions. They also get "PartitionedFromPattern",
            the operators of the match.
        check: expression -> bool: may this match be cut out?

    Returns:
        The new expression. Constants that an `is_constant()` matched are in the functions; all
        other leaves are arguments.

    Example:
        >>> from lathe import relay
        >>> from lathe.relay.dataflow_pattern import is_op, partition, wildcard
        >>> x = relay.var("x", shape=(2,))
        >>> made = partition(is_op("exp")(is_op("tanh")(wildcard())), relay.exp(relay.tanh(x)),
        ...                  {"Composite": "mine"})
        >>> made.op.attrs["Composite"], made.op.attrs["PartitionedFromPattern"]
        ('mine', 'tanh_exp_')
    """
    root = _e.as_expr(expr)
    found = matches(pattern_of(pattern), root)
    made = {}
    for item in analysis.post_order(root):
        post = _rebuild.with_parts(item, lambda part: made.get(id(part), part))
        match = found.get(id(item))
        if match is not None and check(item):
            post = _cut(match, made, dict(attrs or {}))
        made[id(item)] = post
    return made[id(root)]


def _cut(match, made, attrs):
    """A call of a function that computes the match."""
    embedded = {id(item) for pattern, items in match.node_map.items()
                if isinstance(pattern, ConstantPattern) for item in items}
    params, inputs, inside, name = [], [], {}, ""

    def part_inside(part):
        if id(part) in inside or id(part) in embedded or id(part) in match.inner:
            return inside.get(id(part), part)
        if isinstance(part, (_e.GlobalVar, _e.Function)):
            return part
        params.append(_e.Var(f"FunctionVar_{len(params)}", _type_of(part)))
        inputs.append(made.get(id(part), part))
        inside[id(part)] = params[-1]
        return params[-1]

    for item in analysis.post_order(match.root):
        if id(item) in match.inner:
            inside[id(item)] = _rebuild.with_parts(item, part_inside)
            name += _name_of(item)
    attrs.setdefault("PartitionedFromPattern", name)
    func = _e.Function(params, inside[id(match.root)], None, None, attrs)
    return _e.Call(func, inputs)


def _type_of(expr):
    try:
        return expr.checked_type
    except LatheError:
        return None  # inferred when the function becomes part of a module


def _name_of(expr):
    if isinstance(expr, _e.Call):
        return (expr.op.name if isinstance(expr.op, _e.Op) else "call") + "_"
    if isinstance(expr, _e.TupleGetItem):
        return f"TupleGetItem{expr.index}_"
    return type(expr).__name__ + "_"
