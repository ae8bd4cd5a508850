"""DenseNet [Huang et al., 2016]: each layer reads the results of all layers before it."""

from .. import analysis, nn, op
from ..expr import Function, var
from . import layers
from .init import create_workload, refused

# Size -> (channels of the first convolution, channels that a layer adds, layers of each block).
_SIZES = {121: (64, 32, (6, 12, 24, 16)), 161: (96, 48, (6, 12, 36, 24)),
          169: (64, 32, (6, 12, 32, 32)), 201: (64, 32, (6, 12, 48, 32))}


def _normalized(data, name):
    return nn.relu(layers.batch_norm_infer(data, name=name))


def _dense_layer(data, growth, name):
    x = layers.conv2d(_normalized(data, name + "_bn1"), channels=4 * growth, kernel_size=(1, 1),
                      name=name + "_conv1")
    x = layers.conv2d(_normalized(x, name + "_bn2"), channels=growth, kernel_size=(3, 3),
                      padding=(1, 1), name=name + "_conv2")
    return op.concatenate([data, x], axis=1)


def get_net(densenet_size=121, classes=1000, batch_size=4, image_shape=(3, 224, 224),
            dtype="float32"):
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
    if densenet_size not in _SIZES:
        raise refused("a DenseNet", f"one of {', '.join(map(str, sorted(_SIZES)))}", densenet_size)
    channels, growth, blocks = _SIZES[densenet_size]
    data = var("data", shape=(batch_size, *image_shape), dtype=dtype)
    x = layers.conv2d(data, channels=channels, kernel_size=(7, 7), strides=(2, 2), padding=(3, 3),
                      name="conv1")
    x = nn.max_pool2d(_normalized(x, "batch1"), pool_size=(3, 3), strides=(2, 2), padding=(1, 1))
    for block, count in enumerate(blocks, 1):
        for layer in range(count):
            x = _dense_layer(x, growth, f"block{block}_layer{layer}")
        channels += count * growth
        if block < len(blocks):
            channels //= 2
            x = layers.conv2d(_normalized(x, f"tr{block}_bn"), channels=channels,
                              kernel_size=(1, 1), name=f"tr{block}_conv")
            x = nn.avg_pool2d(x, pool_size=(2, 2), strides=(2, 2))
    x = nn.batch_flatten(nn.global_avg_pool2d(_normalized(x, "batch5")))
    x = layers.dense_add_bias(x, units=classes, name="dense")
    return Function(analysis.free_vars(x), x)


def get_workload(densenet_size=121, classes=1000, batch_size=4, image_shape=(3, 224, 224),
                 dtype="float32"):
    """The network as a module, with random weights.

    Returns:
        (IRModule, {name: Tensor}).

    Example:
        >>> from lathe import relay
        >>> mod, params = relay.testing.densenet.get_workload(121, 10, 1, (3, 32, 32))
        >>> params["tr1_conv_weight"].shape
        (128, 256, 1, 1)
    """
    return create_workload(get_net(densenet_size, classes, batch_size, image_shape, dtype))
