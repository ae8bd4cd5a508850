"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.relay.testing.init import refused as refused
from lathe.relay.expr import var as var

def batch_norm_infer(data: Any, gamma: Any = ..., beta: Any = ..., moving_mean: Any = ..., moving_var: Any = ..., *, name: Any = ..., **attrs: Any) -> Any:
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

def conv2d(data: Any, weight: Any = ..., *, name: Any = ..., **attrs: Any) -> Any:
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

def conv2d_transpose(data: Any, weight: Any = ..., *, name: Any = ..., **attrs: Any) -> Any:
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

def conv3d(data: Any, weight: Any = ..., *, name: Any = ..., **attrs: Any) -> Any:
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

def conv_kernel_layout(data_layout: Any, is_depthwise: Any = ...) -> Any:
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

def dense_add_bias(data: Any, weight: Any = ..., bias: Any = ..., units: Any = ..., *, name: Any = ..., **attrs: Any) -> Any:
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

def image_layouts(layout: Any, is_depthwise: Any = ...) -> Any:
    """Attributes of a convolution for images of a layout.

    Example:
        >>> from lathe import relay
        >>> relay.testing.layers.image_layouts("NCHW")
        {'data_layout': 'NCHW', 'kernel_layout': 'OIHW'}
    """
