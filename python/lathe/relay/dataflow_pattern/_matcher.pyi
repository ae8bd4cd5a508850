"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.relay.dataflow_pattern._patterns import CallPattern as CallPattern
from lathe.relay.dataflow_pattern._patterns import FunctionPattern as FunctionPattern
from lathe.relay.dataflow_pattern._patterns import IfPattern as IfPattern
from lathe.relay.dataflow_pattern._patterns import LetPattern as LetPattern
from lathe.relay.dataflow_pattern._patterns import TupleGetItemPattern as TupleGetItemPattern
from lathe.relay.dataflow_pattern._patterns import TuplePattern as TuplePattern
from lathe.relay.dataflow_pattern._patterns import pattern_of as pattern_of

class Match:
    """A match: what each pattern matched.

    Attributes:
        root: the expression.
        node_map: {pattern: [expressions]}.
        inner: {id: expression} of what is computed within the match: the root, and all between it
            and the leaves of the pattern.
    """
    def __init__(self, root: Any, bound: Any, paths: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class Matcher:
    """One search. `ways(pattern, expr)` yields once for each way; `bound` has what is bound then."""
    def all_of(self, patterns: Any, exprs: Any, first: Any = ...) -> Any: ...
    def dominated(self, pattern: Any, child: Any) -> Any: ...
    def find(self, pattern: Any, expr: Any) -> Any: ...
    def ways(self, pattern: Any, expr: Any) -> Any: ...
    def __init__(self, users: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class Users:
    """Who uses each expression of a graph."""
    def of(self, expr: Any) -> Any: ...
    def __init__(self, root: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def match(pattern: Any, expr: Any) -> bool:
    """Does `pattern` match `expr`?

    Example:
        >>> from lathe import relay
        >>> from lathe.relay.dataflow_pattern import is_op, match, wildcard
        >>> x = relay.var("x", shape=(2,))
        >>> match(is_op("nn.relu")(wildcard()), relay.nn.relu(x))
        True
    """
