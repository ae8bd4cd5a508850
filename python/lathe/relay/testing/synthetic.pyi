"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.relay.expr as _relay
import lathe._irmodule as _irmodule
import lathe.runtime.tensor as _tensor
from lathe.relay.compound import Function as Function
from lathe.relay.testing.init import create_workload as create_workload
from lathe.relay.expr import var as var

def get_net(input_shape: Any = ..., dtype: Any = ..., wtype: Any = ...) -> _relay.Function:
    """The network as a Function: data (batch, channels, height, width) -> the same shape.

    Args:
        input_shape: the shape of the data.
        dtype: the element type of the data.
        wtype: the element type of the weights; that of the data by default.

    Example:
        >>> from lathe import relay
        >>> relay.testing.synthetic.get_net().checked_type.ret_type
        float32[1, 3, 24, 12]
    """

def get_workload(input_shape: Any = ..., dtype: Any = ..., wtype: Any = ...) -> tuple[_irmodule.IRModule, dict[str, _tensor.Tensor]]:
    """The network as a module, with random weights.

    Returns:
        (IRModule, {name: Tensor}).

    Example:
        >>> from lathe import relay
        >>> mod, params = relay.testing.synthetic.get_workload()
        >>> params["conv_weight"].shape
        (3, 3, 3, 3)
    """
