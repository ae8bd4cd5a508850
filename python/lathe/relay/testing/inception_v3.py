"""Inception v3 [Szegedy et al., 2015]: convolutions of several sizes side by side."""

from .. import analysis, nn, op
from ..expr import Function, var
from . import layers
from .init import create_workload


def _conv(data, channels, kernel, name, stride=1, same=True):
    """A convolution, normalization and relu; `same`: padded so that the extents stay."""
    kernel = (kernel, kernel) if isinstance(kernel, int) else kernel
    padding = tuple(n // 2 for n in kernel) if same else (0, 0)
    x = layers.conv2d(data, channels=channels, kernel_size=kernel, strides=(stride, stride),
                      padding=padding, name=name + "_conv2d")
    return nn.relu(layers.batch_norm_infer(x, epsilon=2e-5, scale=False, name=name + "_bn"))


def _chain(data, name, *steps):
    """Convolutions behind each other: (channels, kernel) or (channels, kernel, stride)."""
    for number, (channels, kernel, *stride) in enumerate(steps):
        data = _conv(data, channels, kernel, f"{name}_{number}", *stride, same=not stride)
    return data


def _pool(data, kind, stride=1):
    pool = nn.avg_pool2d if kind == "avg" else nn.max_pool2d
    border = 1 if stride == 1 else 0
    return pool(data, pool_size=(3, 3), strides=(stride, stride), padding=(border, border))


def _block_a(x, pooled, name):
    return op.concatenate([
        _chain(x, name + "_1x1", (64, 1)),
        _chain(x, name + "_5x5", (48, 1), (64, 5)),
        _chain(x, name + "_3x3", (64, 1), (96, 3), (96, 3)),
        _chain(_pool(x, "avg"), name + "_pool", (pooled, 1))], axis=1)


def _block_b(x, name):
    return op.concatenate([
        _chain(x, name + "_3x3", (384, 3, 2)),
        _chain(x, name + "_d3x3", (64, 1), (96, 3), (96, 3, 2)),
        _pool(x, "max", 2)], axis=1)


def _block_c(x, inner, name):
    row, column = (1, 7), (7, 1)
    return op.concatenate([
        _chain(x, name + "_1x1", (192, 1)),
        _chain(x, name + "_7", (inner, 1), (inner, row), (192, column)),
        _chain(x, name + "_d7", (inner, 1), (inner, column), (inner, row), (inner, column),
               (192, row)),
        _chain(_pool(x, "avg"), name + "_pool", (192, 1))], axis=1)


def _block_d(x, name):
    return op.concatenate([
        _chain(x, name + "_3x3", (192, 1), (320, 3, 2)),
        _chain(x, name + "_d7", (192, 1), (192, (1, 7)), (192, (7, 1)), (192, 3, 2)),
        _pool(x, "max", 2)], axis=1)


def _block_e(x, pool, name):
    row, column = (1, 3), (3, 1)
    one = _chain(x, name + "_3", (384, 1))
    two = _chain(x, name + "_d3", (448, 1), (384, 3))
    parts = [_chain(part, f"{name}_{side}{i}", (384, kernel)) for i, part in enumerate((one, two))
             for side, kernel in (("row", row), ("column", column))]
    return op.concatenate([_chain(x, name + "_1x1", (320, 1)), *parts,
                           _chain(_pool(x, pool), name + "_pool", (192, 1))], axis=1)


def get_net(batch_size, num_classes, image_shape, dtype):
    """The network as a Function: data (batch, *image_shape) -> probabilities (batch, classes).

    Example:
        >>> from lathe import relay
        >>> net = relay.testing.inception_v3.get_net(1, 10, (3, 139, 139), "float32")
        >>> net.checked_type.ret_type
        float32[1, 10]
    """
    x = var("data", shape=(batch_size, *image_shape), dtype=dtype)
    x = _conv(x, 32, 3, "conv", 2, same=False)
    x = _conv(x, 32, 3, "conv_1", same=False)
    x = _pool(_conv(x, 64, 3, "conv_2"), "max", 2)
    x = _conv(x, 80, 1, "conv_3")
    x = _pool(_conv(x, 192, 3, "conv_4", same=False), "max", 2)
    for number, pooled in enumerate((32, 64, 64)):
        x = _block_a(x, pooled, f"mixed_{number}")
    x = _block_b(x, "mixed_3")
    for number, inner in enumerate((128, 160, 160, 192), 4):
        x = _block_c(x, inner, f"mixed_{number}")
    x = _block_d(x, "mixed_8")
    x = _block_e(x, "avg", "mixed_9")
    x = _block_e(x, "max", "mixed_10")
    x = nn.batch_flatten(nn.global_avg_pool2d(x))
    x = nn.softmax(layers.dense_add_bias(x, units=num_classes, name="fc1"))
    return Function(analysis.free_vars(x), x)


def get_workload(batch_size=1, num_classes=1000, image_shape=(3, 299, 299), dtype="float32"):
    """The network as a module, with random weights.

    Returns:
        (IRModule, {name: Tensor}).

    Example:
        >>> from lathe import relay
        >>> mod, params = relay.testing.inception_v3.get_workload(1, 10, (3, 139, 139))
        >>> params["mixed_4_7_1_conv2d_weight"].shape
        (128, 128, 1, 7)
    """
    return create_workload(get_net(batch_size, num_classes, image_shape, dtype))
