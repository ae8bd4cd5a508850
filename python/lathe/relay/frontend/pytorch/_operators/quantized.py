"""Quantized tensors: models that PyTorch has quantized before.

A quantized number q stands for (q - zero point) * scale. Results are those of PyTorch's kernels
for x86 (FBGEMM): sums are exact, then multiplied in float32 and rounded once, halves to the even
number.
"""

from .....error import LatheValueError
from .... import nn as _nn
from .... import op as _op
from .... import qnn as _qnn
from .. import _values as _v
from .._quantized import Packed, Quantized
from .._registry import find, operators

_LIMITS = {"uint8": (0, 255), "int8": (-128, 127), "int32": (-2 ** 31, 2 ** 31 - 1)}


def _f32(value):
    """A number, rounded to float32 as PyTorch does."""
    torch = _v.torch()
    return torch.tensor(value, dtype=torch.float32)


def _rounded(x, zero, dtype, limits=None):
    """round(x) + zero point, clipped to the type."""
    low, high = limits or _LIMITS[dtype]
    whole = _op.rint(x) + float(zero) if not hasattr(zero, "checked_type") else _op.rint(x) + zero
    return _op.cast(_op.clip(whole, a_min=float(low), a_max=float(high)), dtype)


def quantize(x, scale, zero, dtype):
    """A Quantized of a float32 tensor: x times the inverse of the scale, rounded."""
    inverse = (1.0 / _f32(scale)).item()
    return Quantized(_rounded(_v.expr(x, "float32") * inverse, zero, dtype), scale, zero)


def dequantize(x):
    """The float32 tensor that a Quantized stands for."""
    if not isinstance(x, Quantized):
        return _v.expr(x, "float32")
    if x.axis is not None:
        return _qnn.op.dequantize(x.data, _v.expr(_f32(x.scale)), _v.expr(x.zero, "int32"),
                                  axis=x.axis)
    return _qnn.op.dequantize(x.data, _v.expr(_f32(x.scale)), _v.expr(int(x.zero), "int32"))


def _number(value):
    return _v.known_number(value, "a scale or zero point")


operators({
    "quantize_per_tensor": lambda a: quantize(a[0], _number(a[1]), int(_number(a[2])),
                                              _v.dtype_name(a.dtype)),
    "dequantize": lambda a: [dequantize(one) for one in a[0]] if isinstance(a[0], (list, tuple))
    else dequantize(a[0]),
    "int_repr": lambda a: a[0].data, "q_scale": lambda a: a[0].scale,
    "q_zero_point": lambda a: a[0].zero,
    "quantized::add": lambda a: _sum(a, False), "quantized::add_relu": lambda a: _sum(a, True),
    "quantized::mul": lambda a: _product(a, False),
    "quantized::mul_relu": lambda a: _product(a, True),
    "quantized::cat": lambda a: _cat(a),
    "quantized::conv2d quantized::conv1d": lambda a: _convolution(a, False),
    "quantized::conv2d_relu quantized::conv1d_relu": lambda a: _convolution(a, True),
    "quantized::linear": lambda a: _linear(a, False),
    "quantized::linear_relu": lambda a: _linear(a, True),
    "quantized::linear_dynamic": lambda a: _dynamic_linear(a),
    "quantized::hardswish": lambda a: quantize(_nn.hard_swish(dequantize(a[0])), a[1], a[2],
                                               a[0].dtype),
    "quantized::leaky_relu": lambda a: quantize(_nn.leaky_relu(
        dequantize(a[0]), alpha=float(a[1])), a.output_scale, a.output_zero_point, a[0].dtype),
    "quantized::sigmoid": lambda a: quantize(_op.sigmoid(dequantize(a[0])), a[1], a[2],
                                             a[0].dtype),
    "quantized::elu": lambda a: quantize(_nn.elu(dequantize(a[0]), alpha=float(a.alpha or 1)),
                                         a[1], a[2], a[0].dtype),
    "quantized_decomposed::quantize_per_tensor": lambda a: _plain_quantize(a),
    "quantized_decomposed::dequantize_per_tensor": lambda a: _plain_dequantize(a),
    "quantized_decomposed::quantize_per_channel": lambda a: _plain_quantize(a),
    "quantized_decomposed::dequantize_per_channel": lambda a: _plain_dequantize(a),
})


def _sum(a, relu):
    total = dequantize(a[0]) + dequantize(a[1])
    return quantize(_nn.relu(total) if relu else total, _number(a[2]), int(_number(a[3])),
                    a[0].dtype)


def _product(a, relu):
    """(a - zero)(b - zero) is exact; one multiplication by all scales follows."""
    x, y = a[0], a[1]
    scale, zero = _number(a[2]), int(_number(a[3]))
    whole = (_op.cast(x.data, "int32") - int(x.zero)) * (_op.cast(y.data, "int32") - int(y.zero))
    factor = _f32(_f32(x.scale) * _f32(y.scale) * (1.0 / _f32(scale))).item()
    made = _rounded(_op.cast(whole, "float32") * factor, zero, x.dtype)
    return Quantized(_floor(made, zero, relu), scale, zero)


def _floor(data, zero, relu):
    """ReLU of quantized numbers: none is below the zero point."""
    return _op.maximum(data, _v.expr(int(zero), _v.dtype_of(data))) if relu else data


def _cat(a):
    scale, zero = a.scale, a.zero_point
    scale = a[0][0].scale if scale is None else _number(scale)
    zero = a[0][0].zero if zero is None else int(_number(zero))
    parts = [one.data if (one.scale, one.zero) == (scale, zero) else
             quantize(dequantize(one), scale, zero, one.dtype).data for one in a[0]]
    axis = _v.axis_of(a[1] or 0, _v.rank_of(parts[0]))
    return Quantized(_op.concatenate(parts, axis=axis), scale, zero)


def _requantized(sums, packed, x, scale, zero, relu, axis):
    """Sums of products in the output's scale, with the bias in float32."""
    torch = _v.torch()
    products = _f32(x.scale) * packed.scales.to(torch.float32)  # of both scales
    rank = _v.rank_of(sums)
    shape = [-1] + [1] * (rank - axis - 1)
    total = _op.cast(sums, "float32")
    if packed.bias is not None:
        total = total + _v.expr((packed.bias.detach().float() / products).reshape(shape))
    factor = products / _f32(scale)
    factor = _v.expr(factor.reshape(shape) if factor.dim() else factor)
    made = _rounded(total * factor, zero, x.dtype)
    return Quantized(_floor(made, zero, relu), scale, zero)


def _packed(value):
    if not isinstance(value, Packed):
        raise LatheValueError("the weights of a quantized layer are not packed parameters",
                              "pytorch-value", f"found: {type(value).__name__}")
    return value


def _convolution(a, relu):
    x, packed = a[0], _packed(a[1])
    scale, zero = _number(a[2]), int(_number(a[3]))
    if packed.transposed:
        raise LatheValueError("quantized transposed convolutions are not supported",
                              "pytorch-value")
    data, weight = x.data, packed.weight
    flat = _v.rank_of(data) == 3  # conv1d is a conv2d of height 1
    if flat:
        data = _op.expand_dims(data, axis=2)
        if _v.rank_of(weight) == 3:
            weight = _op.expand_dims(weight, axis=2)
    window = _v.shape_of(weight)[2:]
    sums = _qnn.op.conv2d(data, weight, _v.expr(int(x.zero), "int32"),
                          _v.expr(packed.zeros, "int32"), _v.expr(_f32(x.scale)),
                          _v.expr(packed.scales, "float32"), kernel_size=window,
                          channels=_v.shape_of(weight)[0], strides=packed.stride,
                          padding=packed.padding * 2, dilation=packed.dilation,
                          groups=packed.groups)
    if flat:
        sums = _op.squeeze(sums, axis=[2])
    return _requantized(sums, packed, x, scale, zero, relu, 1)


def _linear(a, relu):
    x, packed = a[0], _packed(a[1])
    sums = _qnn.op.dense(x.data, packed.weight, _v.expr(int(x.zero), "int32"),
                         _v.expr(packed.zeros, "int32"), _v.expr(_f32(x.scale)),
                         _v.expr(packed.scales, "float32"))
    return _requantized(sums, packed, x, _number(a[2]), int(_number(a[3])), relu,
                        _v.rank_of(sums) - 1)


def _dynamic_linear(a):
    """The input's scale is that of its least and greatest element, 0 included."""
    x, packed = _v.expr(a[0]), _packed(a[1])
    torch = _v.torch()
    top = 127.0 if a.reduce_range else 255.0
    zero = _v.expr(0.0, "float32")
    low, high = _op.minimum(_op.min(x), zero), _op.maximum(_op.max(x), zero)
    scale = (high - low) / top
    scale = _op.where(_op.equal(scale, zero), _v.expr(1.0, "float32"), scale)
    point = _op.clip(_op.rint(_op.negative(low) / scale), a_min=0.0, a_max=top)
    data = _rounded(x / scale, point, "uint8")
    sums = _qnn.op.dense(data, packed.weight, _op.cast(point, "int32"),
                         _v.expr(packed.zeros, "int32"), scale,
                         _v.expr(packed.scales, "float32"))
    made = _op.cast(sums, "float32") * (scale * _v.expr(packed.scales.to(torch.float32)))
    return made if packed.bias is None else made + _v.expr(packed.bias.detach().float())


# -- Operators of exported programs (PT2E): plain tensors of integers.


def _parameters(a):
    """(scales, zero points), shaped for the dimension of channels."""
    per_channel = a.has("scales")
    scales, zeros = (a.scales, a.zero_points) if per_channel else (a.scale, a.zero_point)
    if not per_channel:
        if _v.is_tensor(scales):
            return _v.expr(scales, "float32"), _v.expr(zeros, "float32")
        return _v.expr(_f32(scales)), _v.expr(float(zeros), "float32")
    shape = [-1] + [1] * (_v.rank_of(a[0]) - _v.axis_of(a.axis, _v.rank_of(a[0])) - 1)
    zeros = _v.full(_v.shape_of(scales), 0, "float32") if zeros is None else \
        _v.expr(zeros, "float32")
    return (_op.reshape(_v.expr(scales, "float32"), newshape=shape),
            _op.reshape(zeros, newshape=shape))


def _plain_quantize(a):
    scale, zero = _parameters(a)
    x = _v.expr(a[0], "float32") * _op.reciprocal(scale)
    dtype = _v.dtype_name(a.dtype)
    return _rounded(x, zero, dtype, (a.quant_min, a.quant_max))


def _plain_dequantize(a):
    scale, zero = _parameters(a)
    return (_v.expr(a[0], "float32") - zero) * scale


# -- Other operators of quantized tensors.

# They move elements, or choose among them: the numbers themselves can be used.
_MOVES = frozenset(
    "max_pool1d max_pool2d view reshape flatten permute transpose squeeze unsqueeze slice select "
    "contiguous clone detach dropout expand unbind chunk split narrow index_select flip "
    "upsample_nearest2d channel_shuffle pixel_shuffle t repeat copy alias unflatten roll to "
    "view_as reshape_as".split())
# Means are those of the numbers themselves, rounded.
_MEANS = frozenset("avg_pool1d avg_pool2d avg_pool3d adaptive_avg_pool1d adaptive_avg_pool2d "
                   "adaptive_avg_pool3d mean upsample_bilinear2d".split())
# Operators whose results have a scale and zero (of uint8) of their own.
_OWN_SCALES = {"sigmoid": (1 / 256, 0), "hardsigmoid": (1 / 256, 0), "tanh": (2 / 256, 128)}
_SIZES = frozenset("size dim numel sym_size len prim::shape prim::device is_floating_point "
                   "prim::dtype stride".split())


def of_quantized(name, overload, args):
    """An operator that has no form of its own for quantized tensors.

    Args:
        name: its short name.
        overload: the overload.
        args: the Args.
    """
    plain = name[:-1] if name.endswith("_") else name
    first = args[0][0] if isinstance(args[0], (list, tuple)) else args[0]
    function = find(name, overload)
    numbers = args.replaced(lambda one: one.data if isinstance(one, Quantized) else one)
    if plain in _SIZES:
        return function(numbers)
    if plain in _MOVES:
        made = function(numbers)
        if isinstance(made, (list, tuple)):
            return type(made)(Quantized(one, first.scale, first.zero) for one in made)
        return Quantized(made, first.scale, first.zero)
    if plain in ("relu", "relu6"):
        made = _floor(first.data, first.zero, True)
        if plain == "relu6":
            high = quantize(6.0, first.scale, first.zero, first.dtype).data
            made = _op.minimum(made, high)
        return Quantized(made, first.scale, first.zero)
    if plain in _MEANS and not any(args.padding or [] if args.has("padding") else []):
        whole = args.replaced(lambda one: _op.cast(one.data, "float32")
                              if isinstance(one, Quantized) else one)
        return Quantized(_rounded(function(whole), 0, first.dtype), first.scale, first.zero)
    if plain in ("cat", "concat"):
        return _cat(args)
    real = function(args.replaced(dequantize_if))
    scale, zero = _OWN_SCALES.get(plain, (first.scale, first.zero))
    if first.dtype == "int8" and plain in _OWN_SCALES:
        zero -= 128
    return quantize(real, scale, zero, first.dtype)


def dequantize_if(value):
    """A Quantized as float32; other values as they are."""
    return dequantize(value) if isinstance(value, Quantized) else value
