"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.relay.expr as _relay
import lathe._irmodule as _irmodule
import lathe.runtime.tensor as _tensor
from lathe.relay.compound import Function as Function
from lathe.relay.testing.init import create_workload as create_workload
from lathe.relay.testing.init import refused as refused
from lathe.relay.expr import var as var

def get_net(batch_size: Any, num_actions: Any = ..., image_shape: Any = ..., dtype: Any = ..., layout: Any = ...) -> _relay.Function:
    """The network as a Function: data (batch, *image_shape) -> values (batch, actions).

    Args:
        layout: must be "NCHW"; `relay.transform.ConvertLayout` changes layouts.

    Raises:
        LatheError: `testing-network`: another layout.

    Example:
        >>> from lathe import relay
        >>> relay.testing.dqn.get_net(1).checked_type.ret_type
        float32[1, 18]
    """

def get_workload(batch_size: Any, num_actions: Any = ..., image_shape: Any = ..., dtype: Any = ..., layout: Any = ...) -> tuple[_irmodule.IRModule, dict[str, _tensor.Tensor]]:
    """The network as a module, with random weights.

    Returns:
        (IRModule, {name: Tensor}).

    Example:
        >>> from lathe import relay
        >>> mod, params = relay.testing.dqn.get_workload(1)
        >>> params["conv1_weight"].shape
        (32, 4, 8, 8)
    """
