"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.relay.dataflow_pattern._patterns as _df
from lathe.relay.dataflow_pattern._patterns import AttrPattern as AttrPattern
from lathe.relay.dataflow_pattern._patterns import ConstantPattern as ConstantPattern
from lathe.relay.dataflow_pattern._patterns import DataTypePattern as DataTypePattern
from lathe.relay.dataflow_pattern._patterns import DominatorPattern as DominatorPattern
from lathe.relay.dataflow_pattern._patterns import ExprPattern as ExprPattern
from lathe.relay.dataflow_pattern._patterns import IfPattern as IfPattern
from lathe.relay.dataflow_pattern._patterns import LetPattern as LetPattern
from lathe.relay.dataflow_pattern._patterns import ShapePattern as ShapePattern
from lathe.relay.dataflow_pattern._patterns import TupleGetItemPattern as TupleGetItemPattern
from lathe.relay.dataflow_pattern._patterns import TuplePattern as TuplePattern
from lathe.relay.dataflow_pattern._patterns import TypePattern as TypePattern
from lathe.relay.dataflow_pattern._patterns import VarPattern as VarPattern
from lathe.relay.dataflow_pattern._patterns import WildcardPattern as WildcardPattern
from lathe.relay.op import get as get

def dominates(parent: Any, path: Any, child: Any) -> _df.DFPattern:
    """What `child` matches, computed from `parent` along all ways by what matches `path`.

    Example:
        >>> from lathe import relay
        >>> from lathe.relay.dataflow_pattern import dominates, is_op, wildcard
        >>> x = relay.exp(relay.var("x", shape=(2,)))
        >>> any_of = is_op("tanh")(wildcard()) | is_op("negative")(wildcard())
        >>> pattern = dominates(is_op("exp")(wildcard()), any_of, is_op("add")(wildcard(), wildcard()))
        >>> pattern.match(relay.tanh(x) + -x)
        True
    """

def has_attr(attrs: Any, pattern: Any = ...) -> _df.DFPattern:
    """Calls, functions and operators with these attributes: {name: value}.

    Example:
        >>> from lathe import relay
        >>> from lathe.relay.dataflow_pattern import has_attr
        >>> x = relay.var("x", shape=(2, 3))
        >>> has_attr({"axis": 1}).match(relay.nn.softmax(x, axis=1))
        True
    """

def has_dtype(dtype: Any, pattern: Any = ...) -> _df.DFPattern:
    """Tensors of an element type.

    Example:
        >>> from lathe import relay
        >>> from lathe.relay.dataflow_pattern import has_dtype
        >>> has_dtype("int8").match(relay.const(1, "int8"))
        True
    """

def has_shape(shape: Any, pattern: Any = ...) -> _df.DFPattern:
    """Tensors of a shape.

    Example:
        >>> from lathe import relay
        >>> from lathe.relay.dataflow_pattern import has_shape
        >>> has_shape((2,)).match(relay.var("x", shape=(2,)))
        True
    """

def has_type(ttype: Any, pattern: Any = ...) -> _df.DFPattern:
    """What has a type.

    Example:
        >>> from lathe import relay
        >>> from lathe.relay.dataflow_pattern import has_type
        >>> has_type(relay.TensorType((2,))).match(relay.var("x", shape=(2,)))
        True
    """

def is_constant() -> _df.DFPattern:
    """A constant.

    Example:
        >>> from lathe import relay
        >>> from lathe.relay.dataflow_pattern import is_constant
        >>> is_constant().match(relay.const(1))
        True
    """

def is_expr(expr: Any) -> _df.DFPattern:
    """This expression.

    Example:
        >>> from lathe import relay
        >>> from lathe.relay.dataflow_pattern import is_expr
        >>> is_expr(relay.const(1)).match(relay.const(2))
        False
    """

def is_if(cond: Any, true_branch: Any, false_branch: Any) -> _df.DFPattern:
    """An If, of patterns.

    Example:
        >>> from lathe import relay
        >>> from lathe.relay.dataflow_pattern import is_if, is_var, wildcard
        >>> c = relay.var("c", shape=(), dtype="bool")
        >>> is_if(is_var("c"), wildcard(), wildcard()).match(
        ...     relay.If(c, relay.const(1), relay.const(2)))
        True
    """

def is_let(var: Any, value: Any, body: Any) -> _df.DFPattern:
    """A Let, of patterns.

    Example:
        >>> from lathe import relay
        >>> from lathe.relay.dataflow_pattern import is_constant, is_let, is_var
        >>> x = relay.var("x")
        >>> is_let(is_var(), is_constant(), is_var()).match(relay.Let(x, relay.const(1), x))
        True
    """

def is_op(op_name: Any) -> _df.DFPattern:
    """An operator, to be called: `is_op("nn.dense")(data, weight)`.

    Raises:
        LatheError: `graph-unknown-op`.

    Example:
        >>> from lathe import relay
        >>> from lathe.relay.dataflow_pattern import is_constant, is_op
        >>> is_op("exp")(is_constant()).match(relay.exp(relay.const(1.0)))
        True
    """

def is_tuple(fields: Any) -> _df.DFPattern:
    """A tuple.

    Args:
        fields: patterns of the fields; None: any.

    Example:
        >>> from lathe import relay
        >>> from lathe.relay.dataflow_pattern import is_constant, is_tuple
        >>> is_tuple([is_constant()]).match(relay.Tuple([relay.const(1)]))
        True
    """

def is_tuple_get_item(tuple_value: Any, index: Any = ...) -> _df.DFPattern:
    """A field of a tuple.

    Args:
        tuple_value: a pattern of the tuple.
        index: the number of the field; None: any.

    Example:
        >>> from lathe import relay
        >>> from lathe.relay.dataflow_pattern import is_op, is_tuple_get_item, wildcard
        >>> x = relay.var("x", shape=(4,))
        >>> is_tuple_get_item(is_op("split")(wildcard()), 1).match(relay.split(x, 2)[1])
        True
    """

def is_var(name: Any = ...) -> _df.DFPattern:
    """A variable.

    Args:
        name: its name; "": any.

    Example:
        >>> from lathe import relay
        >>> from lathe.relay.dataflow_pattern import is_var
        >>> is_var("x").match(relay.var("x", shape=(2,)))
        True
    """

def wildcard() -> _df.DFPattern:
    """Any expression. Each wildcard stands for one expression.

    Example:
        >>> from lathe import relay
        >>> from lathe.relay.dataflow_pattern import is_op, wildcard
        >>> x, y, same = relay.var("x", shape=(2,)), relay.var("y", shape=(2,)), wildcard()
        >>> is_op("add")(same, same).match(x + x), is_op("add")(same, same).match(x + y)
        (True, False)
    """
