"""A perceptron of three layers."""

from .. import analysis, nn
from ..expr import Function, var
from . import layers
from .init import create_workload


def get_net(batch_size, num_classes=10, image_shape=(1, 28, 28), dtype="float32"):
    """The network as a Function: data (batch, *image_shape) -> probabilities (batch, classes).

    Example:
        >>> from lathe import relay
        >>> relay.testing.mlp.get_net(2, 10).checked_type.ret_type
        float32[2, 10]
    """
    x = nn.batch_flatten(var("data", shape=(batch_size, *image_shape), dtype=dtype))
    x = nn.relu(layers.dense_add_bias(x, units=128, name="fc1"))
    x = nn.relu(layers.dense_add_bias(x, units=64, name="fc2"))
    x = nn.softmax(layers.dense_add_bias(x, units=num_classes, name="fc3"))
    return Function(analysis.free_vars(x), x)


def get_workload(batch_size, num_classes=10, image_shape=(1, 28, 28), dtype="float32", seed=0):
    """The network as a module, with random weights.

    Returns:
        (IRModule, {name: Tensor}).

    Example:
        >>> from lathe import relay
        >>> mod, params = relay.testing.mlp.get_workload(1)
        >>> params["fc1_weight"].shape
        (128, 784)
    """
    return create_workload(get_net(batch_size, num_classes, image_shape, dtype), seed=seed)
