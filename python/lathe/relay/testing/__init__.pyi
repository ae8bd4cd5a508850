"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.relay.testing.init import create_workload as create_workload
from . import init as init
from . import layers as layers
from . import lstm as lstm
from . import mlp as mlp
from . import mobilenet as mobilenet
from . import resnet as resnet

def run_infer_type(expr: Any) -> Any:
    """`expr` with all types.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> relay.testing.run_infer_type(x + x).checked_type
        float32[2]
    """

def run_opt_pass(expr: Any, opt_pass: Any, import_prelude: Any = ...) -> Any:
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
