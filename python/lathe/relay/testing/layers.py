"""Layers: operators with weights that are new variables of the layer's name."""

from .. import nn
from ..expr import var
from .init import refused


def conv_kernel_layout(data_layout, is_depthwise=False):
    """The layout of a convolution's weights beside a layout of images.

    Args:
        data_layout: "NCHW" or "NHWC".
        is_depthwise: of a convolution of each channel alone.

    Raises:
        LatheError: `testing-network`: another layout.

    Example:
        >>> from lathe import relay
        >>> relay.testing.layers.conv_kernel_layout("NHWC")
        'HWIO'
    """
    if data_layout == "NCHW":
        return "OIHW"
    if data_layout != "NHWC":
        raise refused("the network", "the layout NCHW or NHWC", f"the layout {data_layout}")
    return "HWOI" if is_depthwise else "HWIO"


def image_layouts(layout, is_depthwise=False):
    """Attributes of a convolution for images of a layout.

    Example:
        >>> from lathe import relay
        >>> relay.testing.layers.image_layouts("NCHW")
        {'data_layout': 'NCHW', 'kernel_layout': 'OIHW'}
    """
    return {"data_layout": layout, "kernel_layout": conv_kernel_layout(layout, is_depthwise)}


def conv2d(data, weight=None, *, name="conv", **attrs):
    """A convolution; its weight is `<name>_weight`.

    Args:
        data: an expression (batch, channels, height, width).
        weight: an expression, instead of a new variable.
        name: of the layer.
        attrs: of nn.conv2d; `channels` and `kernel_size` are needed for a new weight.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("data", shape=(1, 3, 8, 8))
        >>> relay.testing.layers.conv2d(x, name="c", channels=4, kernel_size=(3, 3)).checked_type
        float32[1, 4, 6, 6]
    """
    return nn.conv2d(data, weight if weight is not None else var(name + "_weight"), **attrs)


def conv3d(data, weight=None, *, name="conv", **attrs):
    """A convolution of volumes; its weight is `<name>_weight`.

    Args:
        data: an expression (batch, channels, depth, height, width).
        weight: an expression, instead of a new variable.
        name: of the layer.
        attrs: of nn.conv3d; `channels` and `kernel_size` are needed for a new weight.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("data", shape=(1, 3, 4, 8, 8))
        >>> relay.testing.layers.conv3d(x, name="c", channels=4, kernel_size=(3, 3, 3)).checked_type
        float32[1, 4, 2, 6, 6]
    """
    return nn.conv3d(data, weight if weight is not None else var(name + "_weight"), **attrs)


def conv2d_transpose(data, weight=None, *, name="conv", **attrs):
    """A transposed convolution; its weight is `<name>_weight`.

    Args:
        data: an expression (batch, channels, height, width).
        weight: an expression, instead of a new variable.
        name: of the layer.
        attrs: of nn.conv2d_transpose; `channels` and `kernel_size` are needed for a new weight.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("data", shape=(1, 3, 8, 8))
        >>> relay.testing.layers.conv2d_transpose(x, channels=4, kernel_size=(2, 2),
        ...                                       strides=(2, 2)).checked_type
        float32[1, 4, 16, 16]
    """
    return nn.conv2d_transpose(data, weight if weight is not None else var(name + "_weight"),
                               **attrs)


def dense_add_bias(data, weight=None, bias=None, units=None, *, name="fc", **attrs):
    """A dense layer with a bias: `<name>_weight`, `<name>_bias`.

    Args:
        data: an expression (batch, features).
        weight, bias: expressions, instead of new variables.
        units: the features of the result.
        name: of the layer.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("data", shape=(1, 8))
        >>> relay.testing.layers.dense_add_bias(x, units=4, name="fc").checked_type
        float32[1, 4]
    """
    weight = weight if weight is not None else var(name + "_weight")
    bias = bias if bias is not None else var(name + "_bias")
    return nn.bias_add(nn.dense(data, weight, units=units, **attrs), bias, axis=-1)


def batch_norm_infer(data, gamma=None, beta=None, moving_mean=None, moving_var=None, *, name="bn",
                     **attrs):
    """Batch normalization with known means and variances: `<name>_gamma`, `_beta`, `_moving_mean`,
    `_moving_var`.

    Args:
        data: an expression whose axis 1 (attribute `axis`) has the channels.
        gamma, beta, moving_mean, moving_var: expressions, instead of new variables.
        name: of the layer.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("data", shape=(1, 3, 8, 8))
        >>> relay.testing.layers.batch_norm_infer(x, name="bn").checked_type
        float32[1, 3, 8, 8]
    """
    names = ("gamma", "beta", "moving_mean", "moving_var")
    weights = [var(f"{name}_{part}") if given is None else given
               for part, given in zip(names, (gamma, beta, moving_mean, moving_var))]
    return nn.batch_norm(data, *weights, **attrs)[0]
