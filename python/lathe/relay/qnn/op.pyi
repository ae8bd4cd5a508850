"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.relay.expr as _relay

def add(lhs: Any, rhs: Any, lhs_scale: Any, lhs_zero_point: Any, rhs_scale: Any, rhs_zero_point: Any, output_scale: Any, output_zero_point: Any, lhs_axis: Any = ..., rhs_axis: Any = ...) -> _relay.Expr:
    """The sum of two tensors of quantised numbers. The operands are broadcast; halves are rounded up, as in Relay.

    Args:
        lhs: an expression. Quantised numbers (an integer type).
        rhs: an expression. Quantised numbers of the same type (an integer type).
        lhs_scale: an expression. Rank 0, or [extent of `lhs_axis`] (a floating type).
        lhs_zero_point: an expression. Rank 0, or [extent of `lhs_axis`] (an integer type).
        rhs_scale: an expression. Rank 0, or [extent of `rhs_axis`] (a floating type).
        rhs_zero_point: an expression. Rank 0, or [extent of `rhs_axis`] (an integer type).
        output_scale: an expression. Rank 0 (a floating type).
        output_zero_point: an expression. Rank 0 (an integer type).
        lhs_axis: an int. The dimension of `lhs` with scales of its own.
        rhs_axis: an int. The dimension of `rhs` with scales of its own.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.qnn.op.add(relay.var("lhs", shape=(4, 7), dtype="int8"), relay.var("rhs", shape=(4, 7), dtype="int8"), relay.var("lhs_scale", shape=()), relay.var("lhs_zero_point", shape=(), dtype="int32"), relay.var("rhs_scale", shape=()), relay.var("rhs_zero_point", shape=(), dtype="int32"), relay.var("output_scale", shape=()), relay.var("output_zero_point", shape=(), dtype="int32"))
    """

def batch_matmul(x: Any, y: Any, x_zero_point: Any, y_zero_point: Any, x_scale: Any, y_scale: Any, out_dtype: Any = ...) -> Any:
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

def concatenate(data: Any, input_scales: Any, input_zero_points: Any, output_scale: Any, output_zero_point: Any, axis: Any) -> _relay.Expr:
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

def conv2d(data: Any, kernel: Any, input_zero_point: Any, kernel_zero_point: Any, input_scale: Any, kernel_scale: Any, kernel_size: Any = ..., channels: Any = ..., strides: Any = ..., padding: Any = ..., dilation: Any = ..., groups: Any = ..., data_layout: Any = ..., kernel_layout: Any = ..., out_layout: Any = ..., out_dtype: Any = ...) -> _relay.Expr:
    """A convolution of the numbers without their zero points: the result is int32, with zero point 0 and the product of the scales, which is not multiplied here. The frame has the input's zero point.

    Args:
        data: an expression. The input, in `data_layout` (an integer type).
        kernel: an expression. The filters, in `kernel_layout` (an integer type).
        input_zero_point: an expression. Rank 0 (an integer type).
        kernel_zero_point: an expression. Rank 0, or [filters] (an integer type).
        input_scale: an expression. Rank 0; the result has the product of both scales (a floating type).
        kernel_scale: an expression. Rank 0, or [filters] (a floating type).
        kernel_size: an int or a tuple of ints. The window; empty: taken from the kernel.
        channels: an int. The filters; 0: taken from the kernel.
        strides: an int or a tuple of ints. How far the window moves.
        padding: an int or a tuple of ints. The frame: one number, one for each dimension, or all before and then all after.
        dilation: an int or a tuple of ints. The distance of the window's elements.
        groups: an int. Channels are split into as many parts.
        data_layout: a str. The dimensions of `data`. One of "NCHW", "NHWC".
        kernel_layout: a str. The dimensions of `kernel`. One of "OIHW", "HWIO", "OHWI", "HWOI".
        out_layout: a str. The dimensions of the result; "": as `data`.
        out_dtype: the name of an element type. The type of the result, an integer.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.qnn.op.conv2d(relay.var("data", shape=(4, 4, 6, 5)), relay.var("kernel", shape=(3, 4, 3, 3), dtype="int8"), relay.var("input_zero_point", shape=(), dtype="int32"), relay.var("kernel_zero_point", shape=(3,), dtype="int32"), relay.var("input_scale", shape=()), relay.var("kernel_scale", shape=(3,)), padding=(1,))
    """

def conv2d_transpose(data: Any, weight: Any, input_zero_point: Any, kernel_zero_point: Any, input_scale: Any, kernel_scale: Any, strides: Any = ..., padding: Any = ..., dilation: Any = ..., groups: Any = ..., channels: Any = ..., kernel_size: Any = ..., data_layout: Any = ..., kernel_layout: Any = ..., out_layout: Any = ..., output_padding: Any = ..., out_dtype: Any = ...) -> Any:
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

def dense(data: Any, weight: Any, input_zero_point: Any, kernel_zero_point: Any, input_scale: Any, kernel_scale: Any, units: Any = ..., out_dtype: Any = ...) -> _relay.Expr:
    """X W^T of the numbers without their zero points: the result is int32, with zero point 0 and the product of the scales, which is not multiplied here.

    Args:
        data: an expression. X [..., in] (an integer type).
        weight: an expression. W [out, in] (an integer type).
        input_zero_point: an expression. Rank 0 (an integer type).
        kernel_zero_point: an expression. Rank 0, or [out] (an integer type).
        input_scale: an expression. Rank 0; the result has the product of both scales (a floating type).
        kernel_scale: an expression. Rank 0, or [out] (a floating type).
        units: an int. Out; 0: taken from the weight.
        out_dtype: the name of an element type. The type of the result, an integer.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.qnn.op.dense(relay.var("data", shape=(4, 8)), relay.var("weight", shape=(5, 8), dtype="int8"), relay.var("input_zero_point", shape=(), dtype="int32"), relay.var("kernel_zero_point", shape=(), dtype="int32"), relay.var("input_scale", shape=()), relay.var("kernel_scale", shape=()))
    """

def dequantize(data: Any, input_scale: Any, input_zero_point: Any, axis: Any = ...) -> _relay.Expr:
    """(data - zero point) scale [ONNX's DequantizeLinear].

    Args:
        data: an expression. Quantised numbers (an integer type).
        input_scale: an expression. The scale: rank 0, or [extent of `axis`] (a floating type).
        input_zero_point: an expression. What stands for 0: rank 0, or [extent of `axis`] (an integer type).
        axis: an int. The dimension with scales of its own.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.qnn.op.dequantize(relay.var("data", shape=(4, 7)), relay.var("input_scale", shape=()), relay.var("input_zero_point", shape=(), dtype="int32"))
    """

def dynamic_quantize(data: Any, out_dtype: Any = ...) -> _relay.Expr:
    """Quantised numbers with a scale that fits them: (q, scale, zero point) [ONNX's DynamicQuantizeLinear]. The scale is (max - min) / (the type's range), with 0 between min and max; halves are rounded to even. All zeros have the scale 0.

    Args:
        data: an expression. Numbers (a floating type).
        out_dtype: a str. The type of q. One of "uint8", "int8".

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.qnn.op.dynamic_quantize(relay.var("data", shape=(4, 7)))
    """

def erf(x: Any, scale: Any, zero_point: Any, output_scale: Any, output_zero_point: Any) -> Any:
    """The error function of a quantized tensor, computed in float32 and rounded once.

    Args:
        x: an expression.
        scale, zero_point: those of the operand.
        output_scale, output_zero_point: those of the result.

    Returns:
        An expression of the operand's element type.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2, 3), dtype="int8")
        >>> relay.qnn.op.erf(x, *[relay.const(0.5), relay.const(0)] * 2).checked_type
        int8[2, 3]
    """

def exp(x: Any, scale: Any, zero_point: Any, output_scale: Any, output_zero_point: Any) -> Any:
    """The exponential function of a quantized tensor, computed in float32 and rounded once.

    Args:
        x: an expression.
        scale, zero_point: those of the operand.
        output_scale, output_zero_point: those of the result.

    Returns:
        An expression of the operand's element type.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2, 3), dtype="int8")
        >>> relay.qnn.op.exp(x, *[relay.const(0.5), relay.const(0)] * 2).checked_type
        int8[2, 3]
    """

def fixed_point_multiply(data: Any, multiplier: Any, shift: Any, axis: Any = ..., rounding: Any = ...) -> _relay.Expr:
    """data multiplier 2^(shift - 31) as TFLite's reference kernels compute it. TWICE: the product by 2^31 is rounded with halves up, and then, if the shift is negative, by 2^-shift with halves away from 0; ONCE: all together, with halves up [Jacob et al., Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference, 2018].

    Args:
        data: an expression. Whole numbers, usually sums of products (a signed integer type).
        multiplier: an expression. Not negative; rank 0, [extent of `axis`], or of more dimensions: broadcast (a signed integer type).
        shift: an expression. -31 to 30; of such a shape, too (a signed integer type).
        axis: an int. The dimension with factors of its own.
        rounding: a str. How often the product is rounded. One of "TWICE", "ONCE".

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.qnn.op.fixed_point_multiply(relay.var("data", shape=(4, 7), dtype="int32"), relay.var("multiplier", shape=(), dtype="int32"), relay.var("shift", shape=(), dtype="int32"))
    """

def hardswish(x: Any, scale: Any, zero_point: Any, output_scale: Any, output_zero_point: Any) -> Any:
    """The hard swish function of a quantized tensor, computed in float32 and rounded once.

    Args:
        x: an expression.
        scale, zero_point: those of the operand.
        output_scale, output_zero_point: those of the result.

    Returns:
        An expression of the operand's element type.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2, 3), dtype="int8")
        >>> relay.qnn.op.hardswish(x, *[relay.const(0.5), relay.const(0)] * 2).checked_type
        int8[2, 3]
    """

def leaky_relu(x: Any, alpha: Any, scale: Any, zero_point: Any) -> Any:
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

def log(x: Any, scale: Any, zero_point: Any, output_scale: Any, output_zero_point: Any) -> Any:
    """The logarithm of a quantized tensor, computed in float32 and rounded once.

    Args:
        x: an expression.
        scale, zero_point: those of the operand.
        output_scale, output_zero_point: those of the result.

    Returns:
        An expression of the operand's element type.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2, 3), dtype="int8")
        >>> relay.qnn.op.log(x, *[relay.const(0.5), relay.const(0)] * 2).checked_type
        int8[2, 3]
    """

def matmul(x: Any, y: Any, x_zero_point: Any, y_zero_point: Any, x_scale: Any, y_scale: Any, out_dtype: Any = ...) -> _relay.Expr:
    """The product of matrices, whose batches are broadcast, of the numbers without their zero points: the result is int32, with zero point 0 and the product of the scales, which is not multiplied here.

    Args:
        x: an expression. [batches..., i, k] (an integer type).
        y: an expression. [batches..., k, j] (an integer type).
        x_zero_point: an expression. Rank 0 (an integer type).
        y_zero_point: an expression. Rank 0, or [j] (an integer type).
        x_scale: an expression. Rank 0; the result has the product of both scales (a floating type).
        y_scale: an expression. Rank 0, or [j] (a floating type).
        out_dtype: the name of an element type. The type of the result, an integer.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.qnn.op.matmul(relay.var("x", shape=(4, 8)), relay.var("y", shape=(8, 5), dtype="int8"), relay.var("x_zero_point", shape=(), dtype="int32"), relay.var("y_zero_point", shape=(), dtype="int32"), relay.var("x_scale", shape=()), relay.var("y_scale", shape=()))
    """

def mul(lhs: Any, rhs: Any, lhs_scale: Any, lhs_zero_point: Any, rhs_scale: Any, rhs_zero_point: Any, output_scale: Any, output_zero_point: Any, lhs_axis: Any = ..., rhs_axis: Any = ...) -> _relay.Expr:
    """The product of two tensors of quantised numbers. The operands are broadcast; halves are rounded up, as in Relay.

    Args:
        lhs: an expression. Quantised numbers (an integer type).
        rhs: an expression. Quantised numbers of the same type (an integer type).
        lhs_scale: an expression. Rank 0, or [extent of `lhs_axis`] (a floating type).
        lhs_zero_point: an expression. Rank 0, or [extent of `lhs_axis`] (an integer type).
        rhs_scale: an expression. Rank 0, or [extent of `rhs_axis`] (a floating type).
        rhs_zero_point: an expression. Rank 0, or [extent of `rhs_axis`] (an integer type).
        output_scale: an expression. Rank 0 (a floating type).
        output_zero_point: an expression. Rank 0 (an integer type).
        lhs_axis: an int. The dimension of `lhs` with scales of its own.
        rhs_axis: an int. The dimension of `rhs` with scales of its own.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.qnn.op.mul(relay.var("lhs", shape=(4, 7), dtype="int8"), relay.var("rhs", shape=(4, 7), dtype="int8"), relay.var("lhs_scale", shape=()), relay.var("lhs_zero_point", shape=(), dtype="int32"), relay.var("rhs_scale", shape=()), relay.var("rhs_zero_point", shape=(), dtype="int32"), relay.var("output_scale", shape=()), relay.var("output_zero_point", shape=(), dtype="int32"))
    """

def quantize(data: Any, output_scale: Any, output_zero_point: Any, axis: Any = ..., out_dtype: Any = ..., rounding: Any = ...) -> _relay.Expr:
    """data / scale, rounded, + zero point, clipped to the type [ONNX's QuantizeLinear].

    Args:
        data: an expression. Numbers (a floating type).
        output_scale: an expression. The scale: rank 0, or [extent of `axis`] (a floating type).
        output_zero_point: an expression. What stands for 0: rank 0, or [extent of `axis`] (an integer type).
        axis: an int. The dimension with scales of its own.
        out_dtype: the name of an element type. The type of the result, an integer.
        rounding: a str. Where halves go: up, away from zero, or to the even number. One of "TONEAREST", "UPWARD", "NEAREST_EVEN".

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.qnn.op.quantize(relay.var("data", shape=(4, 7)), relay.var("output_scale", shape=()), relay.var("output_zero_point", shape=(), dtype="int32"))
    """

def requantize(data: Any, input_scale: Any, input_zero_point: Any, output_scale: Any, output_zero_point: Any, axis: Any = ..., rounding: Any = ..., compute_dtype: Any = ..., out_dtype: Any = ...) -> _relay.Expr:
    """Other scales for the same numbers: (data - zero point) input scale / output scale, rounded, + output zero point, clipped to the type. The parameters of the input may be per place along `axis`.

    Args:
        data: an expression. Quantised numbers, or sums of products of them (an integer type).
        input_scale: an expression. Rank 0, or [extent of `axis`] (a floating type).
        input_zero_point: an expression. Rank 0, or [extent of `axis`] (an integer type).
        output_scale: an expression. Rank 0, or [extent of `axis`] (a floating type).
        output_zero_point: an expression. Rank 0, or [extent of `axis`] (an integer type).
        axis: an int. The dimension with scales of its own.
        rounding: a str. Where halves go: up, away from zero, or to the even number; "None": up. One of "None", "UPWARD", "TONEAREST", "NEAREST_EVEN".
        compute_dtype: a str. The type that is multiplied and rounded in; "None": float32. One of "None", "float32", "float64".
        out_dtype: the name of an element type. The type of the result, an integer.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.qnn.op.requantize(relay.var("data", shape=(4, 7)), relay.var("input_scale", shape=()), relay.var("input_zero_point", shape=(), dtype="int32"), relay.var("output_scale", shape=()), relay.var("output_zero_point", shape=(), dtype="int32"))
    """

def rsqrt(x: Any, scale: Any, zero_point: Any, output_scale: Any, output_zero_point: Any) -> Any:
    """1 / the square root of a quantized tensor, computed in float32 and rounded once.

    Args:
        x: an expression.
        scale, zero_point: those of the operand.
        output_scale, output_zero_point: those of the result.

    Returns:
        An expression of the operand's element type.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2, 3), dtype="int8")
        >>> relay.qnn.op.rsqrt(x, *[relay.const(0.5), relay.const(0)] * 2).checked_type
        int8[2, 3]
    """

def sigmoid(x: Any, scale: Any, zero_point: Any, output_scale: Any, output_zero_point: Any) -> Any:
    """The logistic function of a quantized tensor, computed in float32 and rounded once.

    Args:
        x: an expression.
        scale, zero_point: those of the operand.
        output_scale, output_zero_point: those of the result.

    Returns:
        An expression of the operand's element type.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2, 3), dtype="int8")
        >>> relay.qnn.op.sigmoid(x, *[relay.const(0.5), relay.const(0)] * 2).checked_type
        int8[2, 3]
    """

def sqrt(x: Any, scale: Any, zero_point: Any, output_scale: Any, output_zero_point: Any) -> Any:
    """The square root of a quantized tensor, computed in float32 and rounded once.

    Args:
        x: an expression.
        scale, zero_point: those of the operand.
        output_scale, output_zero_point: those of the result.

    Returns:
        An expression of the operand's element type.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2, 3), dtype="int8")
        >>> relay.qnn.op.sqrt(x, *[relay.const(0.5), relay.const(0)] * 2).checked_type
        int8[2, 3]
    """

def subtract(lhs: Any, rhs: Any, lhs_scale: Any, lhs_zero_point: Any, rhs_scale: Any, rhs_zero_point: Any, output_scale: Any, output_zero_point: Any, lhs_axis: Any = ..., rhs_axis: Any = ...) -> Any:
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

def tanh(x: Any, scale: Any, zero_point: Any, output_scale: Any, output_zero_point: Any) -> Any:
    """The hyperbolic tangent of a quantized tensor, computed in float32 and rounded once.

    Args:
        x: an expression.
        scale, zero_point: those of the operand.
        output_scale, output_zero_point: those of the result.

    Returns:
        An expression of the operand's element type.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2, 3), dtype="int8")
        >>> relay.qnn.op.tanh(x, *[relay.const(0.5), relay.const(0)] * 2).checked_type
        int8[2, 3]
    """
