"""The generator of DCGAN [Radford et al., 2015]: random numbers -> an image."""

from .. import analysis, nn, op
from ..expr import Function, var
from . import layers
from .init import create_workload, refused


def get_net(batch_size, random_len=100, oshape=(3, 64, 64), ngf=128, code=None, layout="NCHW",
            dtype="float32"):
    """The network as a Function: data (batch, random_len) -> images (batch, 3, 64, 64).

    Args:
        oshape: channels, height and width of the image; 64 rows and columns.
        ngf: the channels of the last inner layer.
        code: an expression instead of the variable `data`.
        layout: must be "NCHW"; `relay.transform.ConvertLayout` changes layouts.

    Raises:
        LatheError: `testing-network`: another layout, or another size.

    Example:
        >>> from lathe import relay
        >>> relay.testing.dcgan.get_net(1, ngf=8).checked_type.ret_type
        float32[1, 3, 64, 64]
    """
    if layout != "NCHW" or tuple(oshape[1:]) != (64, 64):
        raise refused("the generator", "images NCHW, of 64 rows and columns", f"{layout} {oshape}")
    x = var("data", shape=(batch_size, random_len), dtype=dtype) if code is None else code
    x = nn.relu(nn.dense(x, var("dense_weight"), units=4 * 4 * ngf * 8))
    x = op.reshape(x, newshape=(-1, ngf * 8, 4, 4))
    for number, channels in enumerate((ngf * 4, ngf * 2, ngf, oshape[0]), 2):
        x = layers.conv2d_transpose(x, channels=channels, kernel_size=(4, 4), strides=(2, 2),
                                    padding=(1, 1), name=f"g{number}")
        if number < 5:
            x = nn.relu(layers.batch_norm_infer(x, epsilon=1e-5, scale=False,
                                                name=f"g{number}_batch_norm"))
    x = op.tanh(x)
    return Function(analysis.free_vars(x), x)


def get_workload(batch_size, oshape=(3, 64, 64), ngf=128, random_len=100, layout="NCHW",
                 dtype="float32"):
    """The network as a module, with random weights.

    Returns:
        (IRModule, {name: Tensor}).

    Example:
        >>> from lathe import relay
        >>> mod, params = relay.testing.dcgan.get_workload(1, ngf=8)
        >>> params["g2_weight"].shape
        (64, 32, 4, 4)
    """
    return create_workload(get_net(batch_size, random_len, oshape, ngf, None, layout, dtype))
