"""Residual networks of volumes, such as short films [Tran et al., 2017], normalization first."""

from .. import analysis, nn
from ..expr import Function, var
from . import layers
from .init import create_workload, refused
from .resnet import _stages


def _normalized(data, name):
    return nn.relu(layers.batch_norm_infer(data, epsilon=2e-5, name=name))


def _conv(data, channels, kernel, stride, name):
    return layers.conv3d(data, channels=channels, kernel_size=(kernel,) * 3, strides=(stride,) * 3,
                         padding=(kernel // 2,) * 3, name=name)


def residual_unit(data, num_filter, stride, dim_match, name, bottle_neck=True):
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
    first = _normalized(data, name + "_bn1")
    inner, steps = (num_filter // 4, [(1, stride), (3, 1), (1, 1)]) if bottle_neck \
        else (num_filter, [(3, stride), (3, 1)])
    x = first
    for number, (kernel, step) in enumerate(steps, 1):
        if number > 1:
            x = _normalized(x, f"{name}_bn{number}")
        channels = num_filter if number == len(steps) else inner
        x = _conv(x, channels, kernel, step, f"{name}_conv{number}")
    shortcut = data if dim_match else _conv(first, num_filter, 1, stride, name + "_sc")
    return x + shortcut


def get_net(batch_size, num_classes, num_layers=50, image_shape=(3, 16, 112, 112), layout="NCDHW",
            dtype="float32"):
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
    if layout != "NCDHW":
        raise refused("a residual network of volumes", "the layout NCDHW", f"the layout {layout}")
    units, channels, bottle_neck = _stages(num_layers, image_shape[2])
    data = var("data", shape=(batch_size, *image_shape), dtype=dtype)
    x = layers.batch_norm_infer(data, epsilon=2e-5, scale=False, name="bn_data")
    if image_shape[2] <= 32:
        x = _conv(x, channels[0], 3, 1, "conv0")
    else:
        x = layers.conv3d(x, channels=channels[0], kernel_size=(3, 7, 7), strides=(1, 2, 2), padding=(1, 3, 3),
                          name="conv0")
        x = _normalized(x, "bn0")
    for stage, count in enumerate(units, 1):
        for unit in range(1, count + 1):
            x = residual_unit(x, channels[stage], 2 if unit == 1 and stage > 1 else 1, unit > 1,
                              f"stage{stage}_unit{unit}", bottle_neck)
    x = nn.batch_flatten(nn.global_avg_pool3d(_normalized(x, "bn1")))
    x = nn.softmax(layers.dense_add_bias(x, units=num_classes, name="fc1"))
    return Function(analysis.free_vars(x), x)


def get_workload(batch_size=1, num_classes=1000, num_layers=18, image_shape=(3, 16, 112, 112),
                 layout="NCDHW", dtype="float32"):
    """The network as a module, with random weights.

    Returns:
        (IRModule, {name: Tensor}).

    Example:
        >>> from lathe import relay
        >>> mod, params = relay.testing.resnet_3d.get_workload(1, 10, 18, (3, 8, 32, 32))
        >>> params["conv0_weight"].shape
        (64, 3, 3, 3, 3)
    """
    return create_workload(get_net(batch_size, num_classes, num_layers, image_shape, layout, dtype))
