"""MobileNet [Howard et al., 2017]: convolutions of each channel alone, then across channels."""

from .. import analysis, nn
from ..expr import Function, var
from . import layers
from .init import create_workload

# (channels of the result, stride) of each pair of convolutions.
_PAIRS = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2),
          (1024, 1)]


def _conv_block(data, name, channels, kernel, stride, layout, groups=1):
    x = layers.conv2d(data, channels=channels, kernel_size=(kernel, kernel), groups=groups,
                      strides=(stride, stride), padding=(kernel // 2, kernel // 2),
                      name=name + "_conv", **layers.image_layouts(layout, groups > 1))
    return nn.relu(layers.batch_norm_infer(x, epsilon=1e-5, axis=layout.index("C"), name=name + "_bn"))


def get_net(batch_size, num_classes=1000, image_shape=(3, 224, 224), dtype="float32", alpha=1.0,
            layout="NCHW"):
    """The network as a Function: data (batch, *image_shape) -> probabilities (batch, classes).

    Args:
        image_shape: in the order of `layout`.
        alpha: factor of all numbers of channels.
        layout: "NCHW" or "NHWC"; the compiler chooses the layout of blocks itself.

    Raises:
        LatheError: `testing-network`: another layout.

    Example:
        >>> from lathe import relay
        >>> net = relay.testing.mobilenet.get_net(1, 10, (3, 32, 32), alpha=0.25)
        >>> net.checked_type.ret_type
        float32[1, 10]
    """
    x = var("data", shape=(batch_size, *image_shape), dtype=dtype)
    before = int(32 * alpha)
    x = _conv_block(x, "conv_block_1", before, 3, 2, layout)
    for number, (channels, stride) in enumerate(_PAIRS, 2):
        x = _conv_block(x, f"depthwise_block_{number}", before, 3, stride, layout, before)
        before = int(channels * alpha)
        x = _conv_block(x, f"pointwise_block_{number}", before, 1, 1, layout)
    x = nn.batch_flatten(nn.global_avg_pool2d(x, layout=layout))
    x = nn.softmax(layers.dense_add_bias(x, units=num_classes, name="fc"))
    return Function(analysis.free_vars(x), x)


def get_workload(batch_size=1, num_classes=1000, image_shape=(3, 224, 224), dtype="float32",
                 layout="NCHW", alpha=1.0, seed=0):
    """The network as a module, with random weights.

    Args:
        image_shape: in the order of `layout`.
        layout: "NCHW" or "NHWC"; the compiler chooses the layout of blocks itself.

    Returns:
        (IRModule, {name: Tensor}).

    Example:
        >>> from lathe import relay
        >>> mod, params = relay.testing.mobilenet.get_workload(1, 10, (3, 32, 32), alpha=0.25)
        >>> params["depthwise_block_2_conv_weight"].shape
        (8, 1, 3, 3)
    """
    return create_workload(get_net(batch_size, num_classes, image_shape, dtype, alpha, layout), seed=seed)
