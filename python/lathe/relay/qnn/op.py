"""The operators whose names begin with "qnn.", and those that are made of them.

A quantized number q stands for (q - zero point) * scale.
"""

from .. import _operators
from .. import op as _op
from .. import nn as _nn
from .._operators import fields_of as _fields_of

_operators.install(globals(), "qnn.")


def concatenate(data, input_scales, input_zero_points, output_scale, output_zero_point, axis):
    """Quantized tensors behind each other along an axis, in one scale.

    Args:
        data: a list, or tuple, of expressions.
        input_scales, input_zero_points: as many scales and zero points.
        output_scale, output_zero_point: those of the result.
        axis: the axis.

    Returns:
        An expression.

    Example:
        >>> from lathe import relay
        >>> x, scale, zero = relay.var("x", shape=(2, 3), dtype="int8"), relay.const(0.5), relay.const(0)
        >>> relay.qnn.op.concatenate([x, x], [scale] * 2, [zero] * 2, scale, zero, axis=1).checked_type
        int8[2, 6]
    """
    parts = [_fields_of(part) for part in (data, input_scales, input_zero_points)]
    operands = [one for each in zip(*parts) for one in each]
    build = _operators.builder("qnn.concatenate")
    return build(output_scale, output_zero_point, operands, axis=axis)


def subtract(lhs, rhs, lhs_scale, lhs_zero_point, rhs_scale, rhs_zero_point, output_scale,
             output_zero_point, lhs_axis=-1, rhs_axis=-1):
    """The difference of quantized tensors, computed in float32 and rounded once.

    Args:
        lhs, rhs: expressions of one element type.
        lhs_scale, lhs_zero_point, rhs_scale, rhs_zero_point: those of the operands.
        output_scale, output_zero_point: those of the result.
        lhs_axis, rhs_axis: the axes that scales per channel belong to.

    Returns:
        An expression of the operands' element type.

    Example:
        >>> from lathe import relay
        >>> x, scale, zero = relay.var("x", shape=(2, 3), dtype="int8"), relay.const(0.5), relay.const(0)
        >>> relay.qnn.op.subtract(x, x, *[scale, zero] * 3).checked_type
        int8[2, 3]
    """
    left = globals()["dequantize"](lhs, lhs_scale, lhs_zero_point, axis=lhs_axis)
    right = globals()["dequantize"](rhs, rhs_scale, rhs_zero_point, axis=rhs_axis)
    return globals()["quantize"](left - right, output_scale, output_zero_point,
                                 out_dtype=lhs.checked_type.dtype)


def batch_matmul(x, y, x_zero_point, y_zero_point, x_scale, y_scale, out_dtype="int32"):
    """The products of batches of quantized matrices: x times the transposed y, sums in int32.

    Args:
        x: an expression (batch, rows, depth).
        y: an expression (batch, columns, depth).
        x_zero_point, y_zero_point: those of the operands, of rank 0.
        x_scale, y_scale: accepted as Relay does; the scale of the result is their product.
        out_dtype: the element type of the sums.

    Returns:
        An expression (batch, rows, columns).

    Example:
        >>> from lathe import relay
        >>> x, y = (relay.var(n, shape=(1, 2, 3), dtype="int8") for n in "xy")
        >>> zero, scale = relay.const(0), relay.const(0.5)
        >>> relay.qnn.op.batch_matmul(x, y, zero, zero, scale, scale).checked_type
        int32[1, 2, 2]
    """
    return _nn.batch_matmul(_shifted(x, x_zero_point, out_dtype),
                            _shifted(y, y_zero_point, out_dtype))


def conv2d_transpose(data, weight, input_zero_point, kernel_zero_point, input_scale, kernel_scale,
                     strides=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1, channels=None,
                     kernel_size=None, data_layout="NCHW", kernel_layout="IOHW", out_layout="",
                     output_padding=(0, 0), out_dtype="int32"):
    """The transposed convolution of quantized tensors, sums in int32.

    Args:
        data, weight: expressions.
        input_zero_point, kernel_zero_point: those of the operands, of rank 0.
        input_scale, kernel_scale: accepted as Relay does.
        strides, padding, dilation, groups, channels: as for `relay.nn.conv2d_transpose`.
        kernel_size, data_layout, kernel_layout, out_layout, output_padding: the same.
        out_dtype: the element type of the sums.

    Returns:
        An expression.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(1, 3, 4, 4), dtype="int8")
        >>> w, zero, scale = relay.var("w", shape=(3, 2, 2, 2), dtype="int8"), relay.const(0), relay.const(0.5)
        >>> relay.qnn.op.conv2d_transpose(x, w, zero, zero, scale, scale, strides=(2, 2)).checked_type
        int32[1, 2, 8, 8]
    """
    return _nn.conv2d_transpose(
        _shifted(data, input_zero_point, out_dtype), _shifted(weight, kernel_zero_point, out_dtype),
        strides=strides, padding=padding, dilation=dilation, groups=groups, channels=channels,
        kernel_size=kernel_size, data_layout=data_layout, kernel_layout=kernel_layout,
        out_layout=out_layout, output_padding=output_padding)


def _shifted(x, zero_point, dtype):
    return _op.subtract(_op.cast(x, dtype=dtype), _op.cast(zero_point, dtype=dtype))


def leaky_relu(x, alpha, scale, zero_point):
    """leaky_relu of a quantized tensor, in the same scale.

    Args:
        x: an expression.
        alpha: the factor of negative numbers.
        scale, zero_point: those of operand and result.

    Returns:
        An expression.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2, 3), dtype="int8")
        >>> relay.qnn.op.leaky_relu(x, 0.1, relay.const(0.5), relay.const(0)).checked_type
        int8[2, 3]
    """
    return _through_float(lambda real: _nn.leaky_relu(real, alpha=alpha), x, scale, zero_point, scale,
                          zero_point)


def _through_float(function, x, scale, zero_point, output_scale, output_zero_point):
    real = globals()["dequantize"](x, scale, zero_point)
    return globals()["quantize"](function(real), output_scale, output_zero_point,
                                 out_dtype=x.checked_type.dtype)


def _unary(name, function, what):
    def build(x, scale, zero_point, output_scale, output_zero_point):
        return _through_float(function, x, scale, zero_point, output_scale, output_zero_point)

    build.__name__ = build.__qualname__ = name
    build.__doc__ = f"""{what} of a quantized tensor, computed in float32 and rounded once.

    Args:
        x: an expression.
        scale, zero_point: those of the operand.
        output_scale, output_zero_point: those of the result.

    Returns:
        An expression of the operand's element type.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2, 3), dtype="int8")
        >>> relay.qnn.op.{name}(x, *[relay.const(0.5), relay.const(0)] * 2).checked_type
        int8[2, 3]
    """
    return build


for _name, _function, _what in (
        ("tanh", _op.tanh, "The hyperbolic tangent"), ("exp", _op.exp, "The exponential function"),
        ("sqrt", _op.sqrt, "The square root"), ("rsqrt", _op.rsqrt, "1 / the square root"),
        ("erf", _op.erf, "The error function"), ("sigmoid", _op.sigmoid, "The logistic function"),
        ("log", _op.log, "The logarithm"), ("hardswish", _nn.hard_swish, "The hard swish function")):
    globals()[_name] = _unary(_name, _function, _what)
