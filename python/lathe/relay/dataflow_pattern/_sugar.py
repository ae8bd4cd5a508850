"""Functions that make patterns."""

from .. import expr as _e
from ..op import get
from ._patterns import (AttrPattern, ConstantPattern, DataTypePattern, DominatorPattern, ExprPattern,
                       IfPattern, LetPattern, ShapePattern, TupleGetItemPattern, TuplePattern,
                       TypePattern, VarPattern, WildcardPattern)


def wildcard():
    """Any expression. Each wildcard stands for one expression.

    Example:
        >>> from lathe import relay
        >>> from lathe.relay.dataflow_pattern import is_op, wildcard
        >>> x, y, same = relay.var("x", shape=(2,)), relay.var("y", shape=(2,)), wildcard()
        >>> is_op("add")(same, same).match(x + x), is_op("add")(same, same).match(x + y)
        (True, False)
    """
    return WildcardPattern()


def is_var(name=""):
    """A variable.

    Args:
        name: its name; "": any.

    Example:
        >>> from lathe import relay
        >>> from lathe.relay.dataflow_pattern import is_var
        >>> is_var("x").match(relay.var("x", shape=(2,)))
        True
    """
    return VarPattern(name)


def is_constant():
    """A constant.

    Example:
        >>> from lathe import relay
        >>> from lathe.relay.dataflow_pattern import is_constant
        >>> is_constant().match(relay.const(1))
        True
    """
    return ConstantPattern()


def is_expr(expr):
    """This expression.

    Example:
        >>> from lathe import relay
        >>> from lathe.relay.dataflow_pattern import is_expr
        >>> is_expr(relay.const(1)).match(relay.const(2))
        False
    """
    return ExprPattern(_e.as_expr(expr))


def is_op(op_name):
    """An operator, to be called: `is_op("nn.dense")(data, weight)`.

    Raises:
        LatheError: `graph-unknown-op`.

    Example:
        >>> from lathe import relay
        >>> from lathe.relay.dataflow_pattern import is_constant, is_op
        >>> is_op("exp")(is_constant()).match(relay.exp(relay.const(1.0)))
        True
    """
    return ExprPattern(get(op_name))


def is_tuple(fields):
    """A tuple.

    Args:
        fields: patterns of the fields; None: any.

    Example:
        >>> from lathe import relay
        >>> from lathe.relay.dataflow_pattern import is_constant, is_tuple
        >>> is_tuple([is_constant()]).match(relay.Tuple([relay.const(1)]))
        True
    """
    return TuplePattern(fields)


def is_tuple_get_item(tuple_value, index=None):
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
    return TupleGetItemPattern(tuple_value, index)


def is_if(cond, true_branch, false_branch):
    """An If, of patterns.

    Example:
        >>> from lathe import relay
        >>> from lathe.relay.dataflow_pattern import is_if, is_var, wildcard
        >>> c = relay.var("c", shape=(), dtype="bool")
        >>> is_if(is_var("c"), wildcard(), wildcard()).match(
        ...     relay.If(c, relay.const(1), relay.const(2)))
        True
    """
    return IfPattern(cond, true_branch, false_branch)


def is_let(var, value, body):
    """A Let, of patterns.

    Example:
        >>> from lathe import relay
        >>> from lathe.relay.dataflow_pattern import is_constant, is_let, is_var
        >>> x = relay.var("x")
        >>> is_let(is_var(), is_constant(), is_var()).match(relay.Let(x, relay.const(1), x))
        True
    """
    return LetPattern(var, value, body)


def has_type(ttype, pattern=None):
    """What has a type.

    Example:
        >>> from lathe import relay
        >>> from lathe.relay.dataflow_pattern import has_type
        >>> has_type(relay.TensorType((2,))).match(relay.var("x", shape=(2,)))
        True
    """
    return TypePattern(pattern or wildcard(), ttype)


def has_dtype(dtype, pattern=None):
    """Tensors of an element type.

    Example:
        >>> from lathe import relay
        >>> from lathe.relay.dataflow_pattern import has_dtype
        >>> has_dtype("int8").match(relay.const(1, "int8"))
        True
    """
    return DataTypePattern(pattern or wildcard(), dtype)


def has_shape(shape, pattern=None):
    """Tensors of a shape.

    Example:
        >>> from lathe import relay
        >>> from lathe.relay.dataflow_pattern import has_shape
        >>> has_shape((2,)).match(relay.var("x", shape=(2,)))
        True
    """
    return ShapePattern(pattern or wildcard(), shape)


def has_attr(attrs, pattern=None):
    """Calls, functions and operators with these attributes: {name: value}.

    Example:
        >>> from lathe import relay
        >>> from lathe.relay.dataflow_pattern import has_attr
        >>> x = relay.var("x", shape=(2, 3))
        >>> has_attr({"axis": 1}).match(relay.nn.softmax(x, axis=1))
        True
    """
    return AttrPattern(pattern or wildcard(), attrs)


def dominates(parent, path, child):
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
    return DominatorPattern(parent, path, child)
