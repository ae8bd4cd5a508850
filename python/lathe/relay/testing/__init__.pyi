"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.relay.testing.nat import add_nat_definitions as add_nat_definitions
from . import byoc as byoc
from lathe.relay.testing.gradients import check_grad as check_grad
from lathe.relay.testing.nat import count as count
from lathe.relay.testing.init import create_workload as create_workload
from . import dcgan as dcgan
from . import densenet as densenet
from . import dqn as dqn
from lathe.testing import enabled_targets as enabled_targets
from . import gradients as gradients
from . import inception_v3 as inception_v3
from . import init as init
from . import layers as layers
from . import lstm as lstm
from lathe.relay.testing.nat import make_nat_expr as make_nat_expr
from lathe.relay.testing.nat import make_nat_value as make_nat_value
from . import mlp as mlp
from . import mobilenet as mobilenet
from . import nat as nat
from . import resnet as resnet
from . import resnet_3d as resnet_3d
from . import squeezenet as squeezenet
from . import synthetic as synthetic
from . import temp_op_attr as temp_op_attr
from . import vgg as vgg

def count_ops(expr: Any) -> Any:
    """How often each operator is called: {name: number}.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> relay.testing.count_ops(relay.exp(x + x) + x)
        {'add': 2, 'exp': 1}
    """

def rand(dtype: Any = ..., *shape: Any) -> Any:
    """A tensor of random numbers, in [0, 1) for floating types.

    Args:
        dtype: the element type.
        shape: the extents.

    Example:
        >>> from lathe import relay
        >>> relay.testing.rand("float32", 2, 3).shape
        (2, 3)
    """

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
