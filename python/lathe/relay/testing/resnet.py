"""Residual networks [He et al., Deep Residual Learning, 2015], normalization first."""

from .. import analysis, nn
from ..expr import Function, var
from . import layers
from .init import create_workload, refused

# Layers -> (units of each stage, with bottlenecks).
_DEPTHS = {18: ([2, 2, 2, 2], False), 34: ([3, 4, 6, 3], False), 50: ([3, 4, 6, 3], True),
           101: ([3, 4, 23, 3], True), 152: ([3, 8, 36, 3], True), 200: ([3, 24, 36, 3], True),
           269: ([3, 30, 48, 8], True)}


def _stages(num_layers, rows):
    """(units of each stage, channels of the first convolution and of each stage, has it bottlenecks?)."""
    if rows <= 28:
        if num_layers >= 164 and (num_layers - 2) % 9 == 0:
            return [(num_layers - 2) // 9] * 3, [16, 64, 128, 256], True
        if 8 <= num_layers < 164 and (num_layers - 2) % 6 == 0:
            return [(num_layers - 2) // 6] * 3, [16, 16, 32, 64], False
        raise refused("a residual network for images of at most 28 rows",
                      "6 n + 2 layers, fewer than 164, or 9 n + 2 layers, at least 164", num_layers)
    if num_layers not in _DEPTHS:
        raise refused("a residual network for images of more than 28 rows",
                      f"one of {', '.join(map(str, sorted(_DEPTHS)))} layers", num_layers)
    units, bottle_neck = _DEPTHS[num_layers]
    return units, [64, 256, 512, 1024, 2048] if bottle_neck else [64, 64, 128, 256, 512], bottle_neck


def _normalized(data, name, layout):
    return nn.relu(layers.batch_norm_infer(data, epsilon=2e-5, axis=layout.index("C"), name=name))


def _conv(data, channels, kernel, stride, name, layout):
    return layers.conv2d(data, channels=channels, kernel_size=(kernel, kernel),
                         strides=(stride, stride), padding=(kernel // 2, kernel // 2), name=name,
                         **layers.image_layouts(layout))


def residual_unit(data, num_filter, stride, dim_match, name, bottle_neck=True, data_layout="NCHW"):
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
    first = _normalized(data, name + "_bn1", data_layout)
    if bottle_neck:
        inner = num_filter // 4
        x = _conv(first, inner, 1, 1, name + "_conv1", data_layout)
        x = _conv(_normalized(x, name + "_bn2", data_layout), inner, 3, stride, name + "_conv2", data_layout)
        x = _conv(_normalized(x, name + "_bn3", data_layout), num_filter, 1, 1, name + "_conv3", data_layout)
    else:
        x = _conv(first, num_filter, 3, stride, name + "_conv1", data_layout)
        x = _conv(_normalized(x, name + "_bn2", data_layout), num_filter, 3, 1, name + "_conv2", data_layout)
    shortcut = data if dim_match else layers.conv2d(
        first, channels=num_filter, kernel_size=(1, 1), strides=(stride, stride), name=name + "_sc",
        **layers.image_layouts(data_layout))
    return x + shortcut


def get_net(batch_size, num_classes, num_layers=50, image_shape=(3, 224, 224), layout="NCHW",
            dtype="float32"):
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
    layers.conv_kernel_layout(layout)  # refuses others
    rows = image_shape[layout.index("H") - 1]
    units, channels, bottle_neck = _stages(num_layers, rows)
    data = var("data", shape=(batch_size, *image_shape), dtype=dtype)
    x = layers.batch_norm_infer(data, epsilon=2e-5, scale=False, axis=layout.index("C"),
                                name="bn_data")
    if rows <= 32:
        x = _conv(x, channels[0], 3, 1, "conv0", layout)
    else:
        x = _normalized(_conv(x, channels[0], 7, 2, "conv0", layout), "bn0", layout)
        x = nn.max_pool2d(x, pool_size=(3, 3), strides=(2, 2), padding=(1, 1), layout=layout)
    for stage, count in enumerate(units, 1):
        for unit in range(1, count + 1):
            stride = 2 if unit == 1 and stage > 1 else 1
            x = residual_unit(x, channels[stage], stride, unit > 1, f"stage{stage}_unit{unit}",
                              bottle_neck, layout)
    x = nn.batch_flatten(nn.global_avg_pool2d(_normalized(x, "bn1", layout), layout=layout))
    x = nn.softmax(layers.dense_add_bias(x, units=num_classes, name="fc1"))
    return Function(analysis.free_vars(x), x)


def get_workload(batch_size=1, num_classes=1000, num_layers=18, image_shape=(3, 224, 224),
                 layout="NCHW", dtype="float32", seed=0):
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
    return create_workload(
        get_net(batch_size, num_classes, num_layers, image_shape, layout, dtype), seed=seed)

from ... import _old_modules  # noqa: E402

_old_modules.attend(__name__)
