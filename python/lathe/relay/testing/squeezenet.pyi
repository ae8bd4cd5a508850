"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.relay.expr as _relay
import lathe._irmodule as _irmodule
import lathe.runtime.tensor as _tensor
from lathe.relay.compound import Function as Function
from lathe.relay.testing.init import create_workload as create_workload
from lathe.relay.testing.init import refused as refused
from lathe.relay.expr import var as var

def get_net(batch_size: Any, image_shape: Any, num_classes: Any, version: Any, dtype: Any) -> _relay.Function:
    """The network as a Function: data (batch, *image_shape) -> probabilities (batch, classes).

    Args:
        version: "1.0" or "1.1".

    Raises:
        LatheError: `testing-network`: another version.

    Example:
        >>> from lathe import relay
        >>> net = relay.testing.squeezenet.get_net(1, (3, 64, 64), 10, "1.1", "float32")
        >>> net.checked_type.ret_type
        float32[1, 10]
    """

def get_workload(batch_size: Any = ..., num_classes: Any = ..., version: Any = ..., image_shape: Any = ..., dtype: Any = ...) -> tuple[_irmodule.IRModule, dict[str, _tensor.Tensor]]:
    """The network as a module, with random weights.

    Returns:
        (IRModule, {name: Tensor}).

    Example:
        >>> from lathe import relay
        >>> mod, params = relay.testing.squeezenet.get_workload(1, 10, "1.1", (3, 64, 64))
        >>> params["fire2_1x1_weight"].shape
        (16, 64, 1, 1)
    """
