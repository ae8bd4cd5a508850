"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.relay.expr as _relay
import lathe._irmodule as _irmodule
import lathe.runtime.tensor as _tensor
from lathe.relay.compound import Function as Function
from lathe.relay.testing.init import create_workload as create_workload
from lathe.relay.testing.init import refused as refused
from lathe.relay.expr import var as var

def get_net(batch_size: Any, num_classes: Any, num_layers: Any = ..., image_shape: Any = ..., layout: Any = ..., dtype: Any = ...) -> _relay.Function:
    """The network as a Function: data (batch, *image_shape) -> probabilities (batch, classes).

    Args:
        num_layers: as of `resnet.get_net`, by the rows of the images.
        image_shape: (channels, depth, rows, columns). For at most 32 rows, the first convolution is 3x3x3.
        layout: must be "NCDHW".

    Raises:
        LatheError: `testing-network`: another number of layers, or another layout.

    Example:
        >>> from lathe import relay
        >>> net = relay.testing.resnet_3d.get_net(1, 10, 18, (3, 8, 32, 32))
        >>> net.checked_type.ret_type
        float32[1, 10]
    """

def get_workload(batch_size: Any = ..., num_classes: Any = ..., num_layers: Any = ..., image_shape: Any = ..., layout: Any = ..., dtype: Any = ...) -> tuple[_irmodule.IRModule, dict[str, _tensor.Tensor]]:
    """The network as a module, with random weights.

    Returns:
        (IRModule, {name: Tensor}).

    Example:
        >>> from lathe import relay
        >>> mod, params = relay.testing.resnet_3d.get_workload(1, 10, 18, (3, 8, 32, 32))
        >>> params["conv0_weight"].shape
        (64, 3, 3, 3, 3)
    """

def residual_unit(data: Any, num_filter: Any, stride: Any, dim_match: Any, name: Any, bottle_neck: Any = ...) -> Any:
    """A unit: two convolutions, or three with a bottleneck, and the shortcut around them.

    Args:
        data: an expression (batch, channels, depth, height, width).
        num_filter: channels of the result.
        stride: of the first convolution.
        dim_match: is the shortcut the input itself?
        name: of the unit; its layers' names begin with it.
        bottle_neck: the inner channels are a quarter.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("data", shape=(1, 8, 4, 8, 8))
        >>> relay.testing.resnet_3d.residual_unit(x, 16, 2, False, "u").checked_type
        float32[1, 16, 2, 4, 4]
    """
