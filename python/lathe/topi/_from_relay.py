"""Compositions of relay's operators, applied to te tensors."""

from .. import relay, tir
from ..error import LatheTypeError
from ..te import compute, constant
from . import _derive


def of_tensors(build, *tensors):
    """What `build`, a function of relay's expressions, computes of tensors.

    Each operator of the expression becomes stages, as if its function of topi had been called.

    Args:
        build: expressions -> an expression, or several.
        tensors: tensors of known shapes.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import relay, te
        >>> from lathe.topi import _from_relay
        >>> _from_relay.of_tensors(lambda x: relay.tanh(x) + x, te.placeholder((2, 3))).shape
        (2, 3)
    """
    params = [relay.var(f"x{i}", shape=tuple(one.shape), dtype=one.dtype) for i, one in enumerate(tensors)]
    made = build(*params)
    return _Stages(dict(zip(params, tensors))).of(made.astuple() if isinstance(made, relay.TupleWrapper) else made)


def that_reads(made, tensor):
    """`made`, as a stage that also reads `tensor`, of which only the shape matters.

    A function is built of the tensors that its schedule reads, and callers have this one among its arguments.

    Args:
        made: a tensor.
        tensor: a tensor.

    Returns:
        A tensor of the shape and type of `made`.

    Example:
        >>> from lathe import te
        >>> from lathe.topi import _from_relay
        >>> x = te.placeholder((2, 3), name="x")
        >>> x in _from_relay.that_reads(te.placeholder((4,)), x).op.input_tensors
        True
    """
    first = [0] * tensor.ndim
    # The condition is never true, and disappears when the stage is lowered.
    return compute(made.shape, lambda *i: tir.Select(i[0] < 0, tensor(*first).astype(made.dtype), made(*i)),
                   name=made.op.name + "_of_shape", tag="injective")


class _Stages:
    def __init__(self, known):
        self.known = known

    def of(self, expr):
        """The tensor of an expression, or a list of them."""
        if expr not in self.known:
            self.known[expr] = self._made(expr)
        return self.known[expr]

    def _made(self, expr):
        if isinstance(expr, relay.Constant):
            value = expr.data.numpy()
            if value.ndim == 0:  # a number is part of the stage that reads it
                return _derive.as_tensor(tir.const(value.item(), expr.checked_type.dtype))
            return constant(value)
        if isinstance(expr, relay.Tuple):
            return [self.of(one) for one in expr.fields]
        if isinstance(expr, relay.TupleGetItem):
            return self.of(expr.tuple_value)[expr.index]
        if isinstance(expr, relay.Call) and isinstance(expr.op, relay.Op):
            operands = []
            for one in map(self.of, expr.args):
                operands += one if isinstance(one, list) else [one]
            return _derive.apply(expr.op.name, operands, **expr.attrs.as_given)
        raise LatheTypeError("this expression is no composition of operators", "topi-operand-type",
                             f"found: {type(expr).__name__}")
