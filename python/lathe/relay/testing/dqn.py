"""The network of deep Q-learning [Mnih et al., 2015]: images of a game -> the value of each action."""

from .. import analysis, nn
from ..expr import Function, var
from . import layers
from .init import create_workload, refused

# (channels, window, stride) of the convolutions.
_CONVOLUTIONS = ((32, 8, 4), (64, 4, 2), (64, 3, 1))


def get_net(batch_size, num_actions=18, image_shape=(4, 84, 84), dtype="float32", layout="NCHW"):
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
    if layout != "NCHW":
        raise refused("the network", "the layout NCHW", f"the layout {layout}")
    x = var("data", shape=(batch_size, *image_shape), dtype=dtype)
    for number, (channels, window, stride) in enumerate(_CONVOLUTIONS, 1):
        x = layers.conv2d(x, channels=channels, kernel_size=(window, window),
                          strides=(stride, stride), name=f"conv{number}")
        x = nn.relu(nn.bias_add(x, var(f"conv{number}_bias")))
    x = nn.relu(layers.dense_add_bias(nn.batch_flatten(x), units=512, name="dense1"))
    x = layers.dense_add_bias(x, units=num_actions, name="dense2")
    return Function(analysis.free_vars(x), x)


def get_workload(batch_size, num_actions=18, image_shape=(4, 84, 84), dtype="float32",
                 layout="NCHW"):
    """The network as a module, with random weights.

    Returns:
        (IRModule, {name: Tensor}).

    Example:
        >>> from lathe import relay
        >>> mod, params = relay.testing.dqn.get_workload(1)
        >>> params["conv1_weight"].shape
        (32, 4, 8, 8)
    """
    return create_workload(get_net(batch_size, num_actions, image_shape, dtype, layout))
