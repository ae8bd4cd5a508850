"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.ir as _ir
from lathe.error import LatheValueError as LatheValueError

def argmax_pairs(x: Any, axis: Any = ...) -> tuple[_ir.Tensor, _ir.Tensor]:
    """The positions of the largest elements of a matrix along an axis; the first of equal ones.

    Args:
        x: a tensor (rows, columns).
        axis: 1 for the largest of each row, 0 for that of each column.

    Returns:
        Two tensors (rows,) or (columns,): the indices (int32), and the elements.

    Example:
        >>> from lathe import te, topi
        >>> index, value = topi.argmax_pairs(te.placeholder((8, 4)))
        >>> index.dtype, value.dtype
        ('int32', 'float32')
    """

def box_blurs(x: Any, blurs: Any = ...) -> _ir.Tensor:
    """Means over 3x3 neighbourhoods, repeated; each removes a border of one element.

    Args:
        x: a tensor (height + 2 blurs, width + 2 blurs) of a floating-point type.
        blurs: the number of repetitions, 1 to 64.

    Returns:
        A tensor (height, width).

    Example:
        >>> from lathe import te, topi
        >>> topi.box_blurs(te.placeholder((12, 12)), 2).shape
        (8, 8)
    """

def concat_columns(inputs: Any) -> _ir.Tensor:
    """The columns of several matrices, side by side.

    Args:
        inputs: 1 to 256 tensors (rows, columns of its own), all of one element type.

    Returns:
        A tensor (rows, all columns).

    Example:
        >>> from lathe import te, topi
        >>> topi.concat_columns([te.placeholder((8, 4)), te.placeholder((8, 2))]).shape
        (8, 6)
    """

def conv2d_NCHWc(data: Any, weight: Any, stride: Any = ..., padding: Any = ...) -> _ir.Tensor:
    """A convolution over images whose channels are in blocks.

    Args:
        data: a tensor (batch, channels / c, height, width, c).
        weight: a tensor (out / b, channels / c, window height, window width, c, b) of the same
            element type.
        stride: elements from one window to the next, in both directions.
        padding: rows and columns of zeros on each side.

    Returns:
        A tensor (batch, out / b, out height, out width, b).

    Example:
        >>> from lathe import te, topi
        >>> data, weight = te.placeholder((1, 4, 56, 56, 16)), te.placeholder((8, 4, 3, 3, 16, 16))
        >>> topi.conv2d_NCHWc(data, weight, stride=2, padding=1).shape
        (1, 8, 28, 28, 16)
    """

def depthwise_conv2d_NCHWc(data: Any, weight: Any, stride: Any = ..., padding: Any = ...) -> _ir.Tensor:
    """A convolution with one filter per channel, over images whose channels are in blocks.

    Args:
        data: a tensor (batch, channels / c, height, width, c).
        weight: a tensor (channels / c, window height, window width, c) of the same element type.
        stride: elements from one window to the next, in both directions.
        padding: rows and columns of zeros on each side.

    Returns:
        A tensor (batch, channels / c, out height, out width, c).

    Example:
        >>> from lathe import te, topi
        >>> data, weight = te.placeholder((1, 2, 14, 14, 16)), te.placeholder((2, 3, 3, 16))
        >>> topi.depthwise_conv2d_NCHWc(data, weight, padding=1).shape
        (1, 2, 14, 14, 16)
    """

def gelu(x: Any) -> _ir.Expr:
    """The Gaussian error linear unit, x/2 (1 + erf(x / sqrt 2)), of one element.

    For float32 it is an approximation, with an error of at most 3.6e-7 * abs(x). Other types use
    the formula.

    Args:
        x: an expression of a floating-point type, such as an element of a tensor.

    Returns:
        An expression.

    Example:
        >>> from lathe import te, topi
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: topi.gelu(A[i]), name="B")
    """

def layer_norm(x: Any, scale: Any, shift: Any, epsilon: Any = ...) -> _ir.Tensor:
    """(x - mean) / sqrt(variance + epsilon) * scale + shift, with mean and variance of each row.

    Args:
        x: a tensor (rows, columns) of a floating-point type, with a constant number of columns.
        scale: a tensor (columns,) of the same type.
        shift: a tensor (columns,) of the same type.
        epsilon: a number added to the variance.

    Returns:
        A tensor of x's shape and type.

    Example:
        >>> from lathe import te, topi
        >>> scale, shift = te.placeholder((64,)), te.placeholder((64,))
        >>> topi.layer_norm(te.placeholder((8, 64)), scale, shift).shape
        (8, 64)
    """

def matmul_in_panels(a: Any, b: Any, rows: Any, columns: Any) -> _ir.Tensor:
    """`matmul` with `b` in panels of `columns` columns, and whole tiles: inner loops have no tail.

    Args:
        a: a tensor (rows, depth), or (batch, rows, depth), with constant extents.
        b: a tensor (depth, columns), or (batch, depth, columns), of the same element type.
        rows: the rows of a tile, 1 to 4096.
        columns: the columns of a tile and of a panel, 1 to 4096; multiples of a vector are fast.

    Returns:
        A tensor (rows, columns), or (batch, rows, columns).

    Example:
        >>> from lathe import te, topi
        >>> topi.matmul_in_panels(te.placeholder((10, 4)), te.placeholder((4, 30)), 6, 16).shape
        (10, 30)
    """

def matvec(a: Any, x: Any) -> _ir.Tensor:
    """The product of a matrix and a vector: y[i] is the sum over k of a[i, k] * x[k].

    Args:
        a: a tensor (rows, columns).
        x: a tensor (columns,) of the same element type.

    Returns:
        A tensor (rows,).

    Example:
        >>> from lathe import te, topi
        >>> topi.matvec(te.placeholder((8, 4)), te.placeholder((4,))).shape
        (8,)
    """

def rgb_to_yuv(x: Any) -> _ir.Tensor:
    """Converts pixels from red, green, blue to luma and two colour differences (ITU-R BT.601).

    Args:
        x: a tensor (pixels, 3) of float32 or uint8. uint8 is computed in integers and rounded.

    Returns:
        A tensor of the same shape and type.

    Example:
        >>> from lathe import te, topi
        >>> topi.rgb_to_yuv(te.placeholder((640 * 480, 3), "uint8")).shape
        (307200, 3)
    """
