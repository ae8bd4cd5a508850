"""Patterns of expressions: find parts of a graph by their shape, rewrite them, cut them out.

    >>> from lathe import relay
    >>> from lathe.relay.dataflow_pattern import DFPatternCallback, is_op, rewrite, wildcard
    >>> class DropDoubleNegation(DFPatternCallback):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.x = wildcard()
    ...         self.pattern = is_op("negative")(is_op("negative")(self.x))
    ...     def callback(self, pre, post, node_map):
    ...         return node_map[self.x][0]
    >>> x = relay.var("x", shape=(2,))
    >>> rewrite(DropDoubleNegation(), -(-(-(-x)))) is x
    True

A pattern that is used at two places must match the same expression at both. Matching tries all
alternatives, and both orders of the operands of `add` and `multiply`.
"""

from ._patterns import (AltPattern, AttrPattern, CallPattern, ConstantPattern, DataTypePattern,
                       DFPattern, DominatorPattern, ExprPattern, FunctionPattern, IfPattern,
                       LetPattern, ShapePattern, TupleGetItemPattern, TuplePattern, TypePattern,
                       VarPattern, WildcardPattern)
from ._sugar import (dominates, has_attr, has_dtype, has_shape, has_type, is_constant, is_expr, is_if,
                    is_let, is_op, is_tuple, is_tuple_get_item, is_var, wildcard)
from ._matcher import match
from ._rewriter import DFPatternCallback, partition, rewrite
