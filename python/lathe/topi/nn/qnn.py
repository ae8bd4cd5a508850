"""Quantization that is computed in floating point, whose type a run chooses."""

from ... import te, tir
from ..._nodes import CLASSES
from .._derive import as_tensor, immediate

#: The codes of the types that `simulated_quantize` takes; "disable" leaves the data as it is.
SQNN_DTYPE_TO_CODE = {"disable": 0, "int8": 1, "uint8": 2, "int32": 3}
_LIMITS = {"int8": (-128.0, 127.0), "uint8": (0.0, 255.0), "int32": (-2147483648.0, 2147483647.0)}


def _place(tensor, indices, axis):
    """The element of a scale or zero point: of the channel, or the only one."""
    if len(tensor.shape) == 0:
        value = immediate(tensor)
        return tensor() if value is None else value
    return tensor[0] if getattr(tensor.shape[0], "value", tensor.shape[0]) == 1 else tensor[indices[axis]]


def _parts(code, scale, zero_point):
    code = code() if isinstance(code, CLASSES["Tensor"]) and len(code.shape) == 0 else code
    code = code[0] if isinstance(code, CLASSES["Tensor"]) else code
    return code, as_tensor(scale), as_tensor(zero_point, "int32")


def simulated_quantize(data, out_dtype, output_scale=None, output_zero_point=None, axis=-1):
    """round(data / scale) + zero point, within the limits of a type, as float32.

    Args:
        data: a float32 tensor.
        out_dtype: the code of the type (SQNN_DTYPE_TO_CODE): an int, or an int32 tensor of rank 0 or (1,).
        output_scale: a number, or a tensor of rank 0, (1,), or with an element for each channel.
        output_zero_point: the same, int32.
        axis: the axis of the channels.

    Returns:
        A float32 tensor of the data's shape.

    Example:
        >>> import lathe, numpy as np
        >>> from lathe import te, topi
        >>> A = te.placeholder((3,), name="A")
        >>> B = topi.nn.simulated_quantize(A, topi.nn.SQNN_DTYPE_TO_CODE["uint8"], 0.5, 1)
        >>> f, b = lathe.build(te.create_schedule(B.op), [A, B], "llvm"), np.zeros(3, "float32")
        >>> f(np.array([-5, 1, 200], "float32"), b)
        >>> b.tolist()
        [0.0, 3.0, 255.0]
    """
    code, scale, zero = _parts(out_dtype, 1.0 if output_scale is None else output_scale,
                               0 if output_zero_point is None else output_zero_point)

    def value(*indices):
        x = data(*indices)
        made = tir.round(x / _place(scale, indices, axis)) + _place(zero, indices, axis).astype("float32")
        for name, (low, high) in _LIMITS.items():
            limited = tir.max(tir.min(made, tir.const(high, "float32")), tir.const(low, "float32"))
            x = tir.Select(_is(code, name), limited, x)
        return x

    return te.compute(data.shape, value, name="simulated_quantize")


def _is(code, name):
    wanted = SQNN_DTYPE_TO_CODE[name]
    return tir.const(code == wanted, "bool") if isinstance(code, int) else (code == wanted)


def simulated_dequantize(data, in_dtype, input_scale=None, input_zero_point=None, axis=-1):
    """(data - zero point) * scale, as float32; the data itself for the code of "disable".

    Args:
        data: a float32 tensor.
        in_dtype, input_scale, input_zero_point, axis: as of `simulated_quantize`.

    Returns:
        A float32 tensor of the data's shape.

    Example:
        >>> from lathe import te, topi
        >>> A = te.placeholder((3,), name="A")
        >>> topi.nn.simulated_dequantize(A, topi.nn.SQNN_DTYPE_TO_CODE["int8"], 0.5, 1).dtype
        'float32'
    """
    code, scale, zero = _parts(in_dtype, 1.0 if input_scale is None else input_scale,
                               0 if input_zero_point is None else input_zero_point)

    def value(*indices):
        x = data(*indices)
        made = (x - _place(zero, indices, axis).astype("float32")) * _place(scale, indices, axis)
        return tir.Select(_is(code, "disable"), x, made)

    return te.compute(data.shape, value, name="simulated_dequantize")
