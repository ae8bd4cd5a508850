"""SqueezeNet [Iandola et al., 2016]: 1x1 convolutions that squeeze, 1x1 and 3x3 that expand."""

from .. import analysis, nn, op
from ..expr import Function, var
from . import layers
from .init import create_workload, refused

# The layers behind the first convolution; a number is a fire module that squeezes to so many.
_LAYERS = {"1.0": ("pool", 16, 16, 32, "pool", 32, 48, 48, 64, "pool", 64),
           "1.1": ("pool", 16, 16, "pool", 32, 32, "pool", 48, 48, 64, 64)}


def _conv(data, channels, kernel, name, padding=0, strides=1):
    x = layers.conv2d(data, channels=channels, kernel_size=(kernel, kernel),
                      padding=(padding, padding), strides=(strides, strides), name=name)
    return nn.relu(nn.bias_add(x, var(name + "_bias")))


def _fire(data, squeezed, name):
    x = _conv(data, squeezed, 1, name + "_1x1")
    return op.concatenate([_conv(x, 4 * squeezed, 1, name + "_left"),
                           _conv(x, 4 * squeezed, 3, name + "_right", 1)], axis=1)


def get_net(batch_size, image_shape, num_classes, version, dtype):
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
    if version not in _LAYERS:
        raise refused("SqueezeNet", "the version 1.0 or 1.1", version)
    x = var("data", shape=(batch_size, *image_shape), dtype=dtype)
    channels, kernel = (96, 7) if version == "1.0" else (64, 3)
    x = _conv(x, channels, kernel, "conv1", 3 if kernel == 7 else 1, 2)
    number = 1
    for layer in _LAYERS[version]:
        if layer == "pool":
            x = nn.max_pool2d(x, pool_size=(3, 3), strides=(2, 2))
        else:
            number += 1
            x = _fire(x, layer, f"fire{number}")
    x = _conv(nn.dropout(x, rate=0.5), num_classes, 1, "conv_final")
    x = nn.softmax(nn.batch_flatten(nn.global_avg_pool2d(x)))
    return Function(analysis.free_vars(x), x)


def get_workload(batch_size=1, num_classes=1000, version="1.0", image_shape=(3, 224, 224),
                 dtype="float32"):
    """The network as a module, with random weights.

    Returns:
        (IRModule, {name: Tensor}).

    Example:
        >>> from lathe import relay
        >>> mod, params = relay.testing.squeezenet.get_workload(1, 10, "1.1", (3, 64, 64))
        >>> params["fire2_1x1_weight"].shape
        (16, 64, 1, 1)
    """
    return create_workload(get_net(batch_size, image_shape, num_classes, version, dtype))
