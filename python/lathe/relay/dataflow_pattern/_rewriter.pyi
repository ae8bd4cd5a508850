"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.relay.dataflow_pattern._patterns import ConstantPattern as ConstantPattern
from lathe.error import LatheError as LatheError
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError
from lathe.relay.dataflow_pattern._matcher import Matcher as Matcher
from lathe.relay.dataflow_pattern._matcher import Users as Users
from lathe.relay.dataflow_pattern._patterns import pattern_of as pattern_of

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
    def callback(self, pre: Any, post: Any, node_map: Any) -> Any: ...
    def rewrite(self, expr: Any) -> Any: ...
    def __init__(self, require_type: Any = ..., rewrite_once: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

MOST_ROUNDS: Any

def matches(pattern: Any, root: Any) -> Any:
    """The matches of a pattern in a graph that do not overlap, {id of the expression: Match}.

    The last ones of the graph go first. Nothing outside of a match uses what is inside of it, but
    for its result; constants and variables belong to no match.
    """

def partition(pattern: Any, expr: Any, attrs: Any = ..., check: Any = ...) -> Any:
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

def rewrite(callbacks: Any, expr: Any, mod: Any = ...) -> Any:
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

def same_graph(a: Any, b: Any) -> Any:
    """Do two expressions consist of the same calls of the same leaves?"""
