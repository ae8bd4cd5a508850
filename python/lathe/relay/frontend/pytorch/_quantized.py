"""Quantized tensors, and the packed weights of quantized layers, while a model is read."""

from ....error import LatheValueError
from . import _values as _v


class Quantized:
    """Numbers q that stand for (q - zero) * scale.

    Args:
        data: an expression of integers.
        scale, zero: numbers; or tensors, of one for each place along `axis`.
        axis: None, or the dimension of scales.
    """

    __slots__ = ("data", "scale", "zero", "axis")

    def __init__(self, data, scale, zero, axis=None):
        self.data, self.scale, self.zero, self.axis = data, scale, zero, axis

    @property
    def dtype(self):
        """The name of the element type."""
        return _v.dtype_of(self.data)


class Packed:
    """The weights of a quantized layer.

    Args:
        weight: an expression of int8.
        scales, zeros: tensors of rank 0, or one number for each output.
        bias: a tensor of float32, or None.
        window: {name: value}: stride, padding, dilation, groups, transposed of a convolution.
    """

    __slots__ = ("weight", "scales", "zeros", "bias", "stride", "padding", "dilation", "groups",
                 "transposed")

    def __init__(self, weight, scales, zeros, bias, window=None):
        self.weight, self.scales, self.zeros, self.bias = weight, scales, zeros, bias
        for name in ("stride", "padding", "dilation", "groups", "transposed"):
            setattr(self, name, (window or {}).get(name))


def unpacked(value, parameter):
    """The Packed of an object of PyTorch; None if it is none.

    Args:
        value: an attribute of the model.
        parameter: a function of (suffix of the name, tensor) that gives an expression.

    Raises:
        LatheValueError: `pytorch-unsupported`: a layer of another kind.
    """
    kind = str(getattr(value, "_type", lambda: "")()) if hasattr(value, "_type") else ""
    if "PackedParams" not in kind:
        return None
    torch = _v.torch()
    ops = torch.ops.quantized
    window = {}
    if "Linear" in kind:
        weight, bias = ops.linear_unpack(value)
    elif "Conv2d" not in kind:
        raise _unsupported(kind.rpartition(".")[2])
    else:
        dims = 2
        weight, bias = ops.conv2d_unpack(value)
        window = {"stride": list(ops.conv2d_stride(value)),
                  "padding": list(ops.conv2d_padding(value)),
                  "dilation": list(ops.conv2d_dilation(value)),
                  "groups": int(ops.conv2d_groups(value)),
                  "transposed": bool(ops.conv2d_transpose(value))}
        window = {key: [0 if key == "padding" else 1] * (dims - len(one)) + one
                  if isinstance(one, list) else one for key, one in window.items()}
    if not weight.is_quantized:
        raise _unsupported(f"weights of {_v.dtype_of(weight)}")
    if weight.qscheme() in (torch.per_channel_affine, torch.per_channel_symmetric,
                            torch.per_channel_affine_float_qparams):
        scales, zeros = weight.q_per_channel_scales(), weight.q_per_channel_zero_points()
    else:
        scales, zeros = torch.tensor(weight.q_scale()), torch.tensor(weight.q_zero_point())
    if not bool((zeros != 0).any()):
        zeros = torch.tensor(0)
    return Packed(parameter("weight", weight.int_repr()), scales.to(torch.float32), zeros, bias,
                  window)


def _unsupported(found):
    return LatheValueError("a quantized layer of this kind cannot be imported",
                           "pytorch-unsupported", "expected: linear layers and convolutions of one "
                           f"or two dimensions, with weights of int8\nfound: {found}")
