"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.relay.call import Call as Call
from lathe.relay.expr_functor import ExprMutator as ExprMutator
from lathe.relay.compound import Function as Function
from lathe import nd as nd
from lathe.relay.expr import var as var

def convert(func: Any, params: Any) -> Any:
    """Replaces nn.dense(x, transpose(w)) by a dense layer with a parameter that is transposed here.

    `relay.build` does the same for parameters that it gets; this is for programs that change the
    parameters themselves.

    Args:
        func: a relay.Function.
        params: {name: Tensor}.

    Returns:
        (Function, {name: Tensor}): with parameters `<name>.T` instead of those that only such layers
        read.

    Example:
        >>> import lathe
        >>> from lathe import relay
        >>> x, w = relay.var("x", shape=(2, 4)), relay.var("w", shape=(4, 3))
        >>> func = relay.Function([x, w], relay.nn.dense(x, relay.transpose(w)))
        >>> func, params = relay.data_dep_optimization.simplify_fc_transpose.convert(
        ...     func, {"w": lathe.nd.empty((4, 3))})
        >>> params["w.T"].shape
        (3, 4)
    """
