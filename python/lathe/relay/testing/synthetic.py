"""A small network with dense layers and convolutions side by side, for quick tests."""

from .. import analysis, nn, op
from ..expr import Function, var
from . import layers
from .init import create_workload


def _dense(data, shape, name, wtype):
    rows = op.reshape(data, newshape=(-1, shape[3]))
    weight = var(name, shape=(shape[3], shape[3]), dtype=wtype)
    return op.reshape(nn.relu(nn.dense(rows, weight)), newshape=shape)


def _conv(data, shape, name, wtype):
    weight = var(name, shape=(shape[1], shape[1], 3, 3), dtype=wtype)
    return nn.softmax(nn.conv2d(data, weight, padding=(1, 1), kernel_size=(3, 3)))


def get_net(input_shape=(1, 3, 24, 12), dtype="float32", wtype=None):
    """The network as a Function: data (batch, channels, height, width) -> the same shape.

    Args:
        input_shape: the shape of the data.
        dtype: the element type of the data.
        wtype: the element type of the weights; that of the data by default.

    Example:
        >>> from lathe import relay
        >>> relay.testing.synthetic.get_net().checked_type.ret_type
        float32[1, 3, 24, 12]
    """
    wtype, shape = wtype or dtype, tuple(input_shape)
    data = var("data", shape=shape, dtype=dtype)
    x = _dense(data, shape, "dense_weight", wtype) + _conv(data, shape, "conv_weight", wtype)
    bias = var("bias", shape=(shape[1],), dtype=wtype)
    x = layers.batch_norm_infer(nn.bias_add(x, bias), name="bn")
    x = _dense(x, shape, "dense2_weight", wtype) + _conv(x, shape, "conv2_weight", wtype)
    return Function(analysis.free_vars(x), x)


def get_workload(input_shape=(1, 3, 24, 12), dtype="float32", wtype=None):
    """The network as a module, with random weights.

    Returns:
        (IRModule, {name: Tensor}).

    Example:
        >>> from lathe import relay
        >>> mod, params = relay.testing.synthetic.get_workload()
        >>> params["conv_weight"].shape
        (3, 3, 3, 3)
    """
    return create_workload(get_net(input_shape, dtype, wtype))
