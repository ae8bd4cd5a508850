"""VGG [Simonyan and Zisserman, 2014]: stages of 3x3 convolutions, then three dense layers."""

from .. import analysis, nn
from ..expr import Function, var
from . import layers as _layers
from .init import create_workload, refused

# Layers -> convolutions of each stage.
_STAGES = {11: (1, 1, 2, 2, 2), 13: (2, 2, 2, 2, 2), 16: (2, 2, 3, 3, 3), 19: (2, 2, 4, 4, 4)}
_FILTERS = (64, 128, 256, 512, 512)


def get_feature(internal_layer, layers, filters, batch_norm=False):
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
    x = internal_layer
    for stage, (count, channels) in enumerate(zip(layers, filters), 1):
        for number in range(1, count + 1):
            name = f"conv{stage}_{number}"
            x = _layers.conv2d(x, kernel_size=(3, 3), padding=(1, 1), channels=channels, name=name)
            x = nn.bias_add(x, var(name + "_bias"))
            if batch_norm:
                x = _layers.batch_norm_infer(x, name=f"bn{stage}_{number}")
            x = nn.relu(x)
        x = nn.max_pool2d(x, pool_size=(2, 2), strides=(2, 2))
    return x


def get_classifier(input_data, num_classes):
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
    x = nn.batch_flatten(input_data)
    for name in ("fc6", "fc7"):
        x = nn.relu(_layers.dense_add_bias(x, units=4096, name=name))
        x = nn.dropout(x, rate=0.5)
    return _layers.dense_add_bias(x, units=num_classes, name="fc8")


def get_net(batch_size, image_shape, num_classes, dtype, num_layers=11, batch_norm=False):
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
    if num_layers not in _STAGES:
        raise refused("VGG", f"one of {', '.join(map(str, sorted(_STAGES)))} layers", num_layers)
    data = var("data", shape=(batch_size, *image_shape), dtype=dtype)
    x = get_feature(data, _STAGES[num_layers], _FILTERS, batch_norm)
    x = nn.softmax(get_classifier(x, num_classes))
    return Function(analysis.free_vars(x), x)


def get_workload(batch_size, num_classes=1000, image_shape=(3, 224, 224), dtype="float32",
                 num_layers=11, batch_norm=False):
    """The network as a module, with random weights.

    Returns:
        (IRModule, {name: Tensor}).

    Example:
        >>> from lathe import relay
        >>> net = relay.testing.vgg.get_net(1, (3, 32, 32), 10, "float32")
        >>> [p.name_hint for p in net.params][:3]
        ['data', 'conv1_1_weight', 'conv1_1_bias']
    """
    return create_workload(get_net(batch_size, image_shape, num_classes, dtype, num_layers,
                                   batch_norm))
