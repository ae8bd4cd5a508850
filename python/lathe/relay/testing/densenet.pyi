"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.relay.expr as _relay
import lathe._irmodule as _irmodule
import lathe.runtime.tensor as _tensor
from lathe.relay.compound import Function as Function
from lathe.relay.testing.init import create_workload as create_workload
from lathe.relay.testing.init import refused as refused
from lathe.relay.expr import var as var

def get_net(densenet_size: Any = ..., classes: Any = ..., batch_size: Any = ..., image_shape: Any = ..., dtype: Any = ...) -> _relay.Function:
    """The network as a Function: data (batch, *image_shape) -> scores (batch, classes).

    Args:
        densenet_size: 121, 161, 169 or 201.

    Raises:
        LatheError: `testing-network`: another size.

    Example:
        >>> from lathe import relay
        >>> net = relay.testing.densenet.get_net(121, 10, 1, (3, 32, 32))
        >>> net.checked_type.ret_type
        float32[1, 10]
    """

def get_workload(densenet_size: Any = ..., classes: Any = ..., batch_size: Any = ..., image_shape: Any = ..., dtype: Any = ...) -> tuple[_irmodule.IRModule, dict[str, _tensor.Tensor]]:
    """The network as a module, with random weights.

    Returns:
        (IRModule, {name: Tensor}).

    Example:
        >>> from lathe import relay
        >>> mod, params = relay.testing.densenet.get_workload(121, 10, 1, (3, 32, 32))
        >>> params["tr1_conv_weight"].shape
        (128, 256, 1, 1)
    """
