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
        num_layers: 18, 34, 50, 101, 152, 200 or 269. For images of at most 28 rows, in three stages: 6 n + 2
            (fewer than 164), or 9 n + 2 with bottlenecks (at least 164).
        image_shape: in the order of `layout`. For at most 32 rows, the first convolution is 3x3 and no
            pooling follows.
        layout: "NCHW" or "NHWC"; the compiler chooses the layout of blocks itself.

    Raises:
        LatheError: `testing-network`: another number of layers, or another layout.

    Example:
        >>> from lathe import relay
        >>> net = relay.testing.resnet.get_net(1, 10, num_layers=8, image_shape=(3, 28, 28))
        >>> net.checked_type.ret_type
        float32[1, 10]
    """

def get_workload(batch_size: Any = ..., num_classes: Any = ..., num_layers: Any = ..., image_shape: Any = ..., layout: Any = ..., dtype: Any = ..., seed: Any = ...) -> tuple[_irmodule.IRModule, dict[str, _tensor.Tensor]]:
    """The network as a module, with random weights.

    Args:
        image_shape: in the order of `layout`.
        layout: "NCHW" or "NHWC"; the compiler chooses the layout of blocks itself.

    Returns:
        (IRModule, {name: Tensor}).

    Example:
        >>> from lathe import relay
        >>> mod, params = relay.testing.resnet.get_workload(1, 10, 8, (3, 28, 28))
        >>> params["conv0_weight"].shape
        (16, 3, 3, 3)
    """

def residual_unit(data: Any, num_filter: Any, stride: Any, dim_match: Any, name: Any, bottle_neck: Any = ..., data_layout: Any = ...) -> Any:
    """A unit: two convolutions, or three with a bottleneck, and the shortcut around them.

    Args:
        data: an expression (batch, channels, height, width), or in the order of `data_layout`.
        num_filter: channels of the result.
        stride: of its first 3x3 convolution.
        dim_match: is the shortcut the input itself?
        name: of the unit; its layers' names begin with it.
        bottle_neck: the inner channels are a quarter.
        data_layout: "NCHW" or "NHWC".

    Example:
        >>> from lathe import relay
        >>> x = relay.var("data", shape=(1, 8, 8, 8))
        >>> relay.testing.resnet.residual_unit(x, 16, 2, False, "u").checked_type
        float32[1, 16, 4, 4]
    """
