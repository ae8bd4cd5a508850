"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.relay.expr as _relay
import lathe._irmodule as _irmodule
import lathe.runtime.tensor as _tensor
from lathe.relay.compound import Function as Function
from lathe.relay.testing.init import create_workload as create_workload
from lathe.relay.testing.init import refused as refused
from lathe.relay.expr import var as var

def get_classifier(input_data: Any, num_classes: Any) -> Any:
    """The dense layers.

    Args:
        input_data: an expression (batch, channels, height, width).
        num_classes: the number of results.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("data", shape=(1, 8, 2, 2))
        >>> relay.testing.vgg.get_classifier(x, 10).checked_type
        float32[1, 10]
    """

def get_feature(internal_layer: Any, layers: Any, filters: Any, batch_norm: Any = ...) -> Any:
    """The stages of convolutions.

    Args:
        internal_layer: an expression (batch, channels, height, width).
        layers: the number of convolutions of each stage.
        filters: the channels of each stage.
        batch_norm: with normalization behind each convolution.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("data", shape=(1, 3, 16, 16))
        >>> relay.testing.vgg.get_feature(x, (1, 2), (8, 16)).checked_type
        float32[1, 16, 4, 4]
    """

def get_net(batch_size: Any, image_shape: Any, num_classes: Any, dtype: Any, num_layers: Any = ..., batch_norm: Any = ...) -> _relay.Function:
    """The network as a Function: data (batch, *image_shape) -> probabilities (batch, classes).

    Args:
        num_layers: 11, 13, 16 or 19.
        batch_norm: with normalization behind each convolution.

    Raises:
        LatheError: `testing-network`: another number of layers.

    Example:
        >>> from lathe import relay
        >>> net = relay.testing.vgg.get_net(1, (3, 32, 32), 10, "float32", num_layers=11)
        >>> net.checked_type.ret_type
        float32[1, 10]
    """

def get_workload(batch_size: Any, num_classes: Any = ..., image_shape: Any = ..., dtype: Any = ..., num_layers: Any = ..., batch_norm: Any = ...) -> tuple[_irmodule.IRModule, dict[str, _tensor.Tensor]]:
    """The network as a module, with random weights.

    Returns:
        (IRModule, {name: Tensor}).

    Example:
        >>> from lathe import relay
        >>> net = relay.testing.vgg.get_net(1, (3, 32, 32), 10, "float32")
        >>> [p.name_hint for p in net.params][:3]
        ['data', 'conv1_1_weight', 'conv1_1_bias']
    """
