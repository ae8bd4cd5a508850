"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.relay.expr as _relay
import lathe._irmodule as _irmodule
import lathe.runtime.tensor as _tensor
from lathe.relay.compound import Function as Function
from lathe.relay.testing.init import create_workload as create_workload
from lathe.relay.expr import var as var

def get_net(batch_size: Any, num_classes: Any = ..., image_shape: Any = ..., dtype: Any = ..., alpha: Any = ..., layout: Any = ...) -> _relay.Function:
    """The network as a Function: data (batch, *image_shape) -> probabilities (batch, classes).

    Args:
        image_shape: in the order of `layout`.
        alpha: factor of all numbers of channels.
        layout: "NCHW" or "NHWC"; the compiler chooses the layout of blocks itself.

    Raises:
        LatheError: `testing-network`: another layout.

    Example:
        >>> from lathe import relay
        >>> net = relay.testing.mobilenet.get_net(1, 10, (3, 32, 32), alpha=0.25)
        >>> net.checked_type.ret_type
        float32[1, 10]
    """

def get_workload(batch_size: Any = ..., num_classes: Any = ..., image_shape: Any = ..., dtype: Any = ..., layout: Any = ..., alpha: Any = ..., seed: Any = ...) -> tuple[_irmodule.IRModule, dict[str, _tensor.Tensor]]:
    """The network as a module, with random weights.

    Args:
        image_shape: in the order of `layout`.
        layout: "NCHW" or "NHWC"; the compiler chooses the layout of blocks itself.

    Returns:
        (IRModule, {name: Tensor}).

    Example:
        >>> from lathe import relay
        >>> mod, params = relay.testing.mobilenet.get_workload(1, 10, (3, 32, 32), alpha=0.25)
        >>> params["depthwise_block_2_conv_weight"].shape
        (8, 1, 3, 3)
    """
