"""Well-known networks with random weights, for first steps, tests and benchmarks.

Each module has `get_net(...)`, the network as a Function of data and weights, and
`get_workload(...)`, which gives a module and the weights: (IRModule, {name: Tensor}).
"""

from . import init, layers, lstm, mlp, mobilenet, resnet
from .init import create_workload


def run_infer_type(expr):
    """`expr` with all types.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> relay.testing.run_infer_type(x + x).checked_type
        float32[2]
    """
    expr.checked_type
    return expr


def run_opt_pass(expr, opt_pass, import_prelude=False):
    """`expr` after a pass, or a list of passes.

    Args:
        expr: an expression; its free variables become parameters.
        opt_pass: a pass over modules, or a list of them.
        import_prelude: must be False.

    Returns:
        The function, or its body if `expr` is no Function.

    Example:
        >>> from lathe import relay
        >>> folded = relay.testing.run_opt_pass(relay.const(1.0) + 2.0,
        ...                                     relay.transform.FoldConstant())
        >>> type(folded).__name__
        'Constant'
    """
    from ..._irmodule import IRModule
    from ..expr import Function

    module = IRModule.from_expr(expr)
    for one in opt_pass if isinstance(opt_pass, (list, tuple)) else [opt_pass]:
        module = one(module)
    main = module["main"]
    return main if isinstance(expr, Function) else main.body
