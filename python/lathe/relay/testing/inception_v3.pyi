"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.relay.expr as _relay
import lathe._irmodule as _irmodule
import lathe.runtime.tensor as _tensor
from lathe.relay.compound import Function as Function
from lathe.relay.testing.init import create_workload as create_workload
from lathe.relay.expr import var as var

def get_net(batch_size: Any, num_classes: Any, image_shape: Any, dtype: Any) -> _relay.Function:
    """The network as a Function: data (batch, *image_shape) -> probabilities (batch, classes).

    Example:
        >>> from lathe import relay
        >>> net = relay.testing.inception_v3.get_net(1, 10, (3, 139, 139), "float32")
        >>> net.checked_type.ret_type
        float32[1, 10]
    """

def get_workload(batch_size: Any = ..., num_classes: Any = ..., image_shape: Any = ..., dtype: Any = ...) -> tuple[_irmodule.IRModule, dict[str, _tensor.Tensor]]:
    """The network as a module, with random weights.

    Returns:
        (IRModule, {name: Tensor}).

    Example:
        >>> from lathe import relay
        >>> mod, params = relay.testing.inception_v3.get_workload(1, 10, (3, 139, 139))
        >>> params["mixed_4_7_1_conv2d_weight"].shape
        (128, 128, 1, 7)
    """
