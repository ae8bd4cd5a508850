"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.topi._derive import as_tensor as as_tensor
from lathe.topi._derive import immediate as immediate
from lathe import te as te
from lathe import tir as tir

CLASSES: Any

SQNN_DTYPE_TO_CODE: Any

def simulated_dequantize(data: Any, in_dtype: Any, input_scale: Any = ..., input_zero_point: Any = ..., axis: Any = ...) -> Any:
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

def simulated_quantize(data: Any, out_dtype: Any, output_scale: Any = ..., output_zero_point: Any = ..., axis: Any = ...) -> Any:
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
