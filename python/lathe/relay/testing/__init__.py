"""Well-known networks with random weights, for first steps, tests and benchmarks.

Each module has `get_net(...)`, the network as a Function of data and weights, and
`get_workload(...)`, which gives a module and the weights: (IRModule, {name: Tensor}).
"""

from ...testing import enabled_targets
from . import (byoc, dcgan, densenet, dqn, inception_v3, init, layers, lstm, mlp, mobilenet, nat, resnet,
               resnet_3d, squeezenet, synthetic, temp_op_attr, vgg)
from .gradients import check_grad
from .init import create_workload
from .nat import add_nat_definitions, count, make_nat_expr, make_nat_value


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


def count_ops(expr):
    """How often each operator is called: {name: number}.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> relay.testing.count_ops(relay.exp(x + x) + x)
        {'add': 2, 'exp': 1}
    """
    from .. import analysis

    return analysis.list_op_freqs(expr)


def rand(dtype="float32", *shape):
    """A tensor of random numbers, in [0, 1) for floating types.

    Args:
        dtype: the element type.
        shape: the extents.

    Example:
        >>> from lathe import relay
        >>> relay.testing.rand("float32", 2, 3).shape
        (2, 3)
    """
    import numpy as np

    from ...runtime import array

    if dtype.startswith(("int", "uint")):
        return array(np.random.randint(0, 100, shape).astype(dtype))
    return array(np.random.rand(*shape).astype("float32"), dtype=dtype)
