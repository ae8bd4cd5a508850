"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheTypeError as LatheTypeError
from lathe.te.operation import compute as compute
from lathe.te.operation import constant as constant
from lathe import relay as relay
from lathe import tir as tir

def of_tensors(build: Any, *tensors: Any) -> Any:
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

def that_reads(made: Any, tensor: Any) -> Any:
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
