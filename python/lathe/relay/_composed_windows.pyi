"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError
from lathe.relay._composed_parts import axis_of as axis_of
from lathe.relay._composed_parts import extents as extents
from lathe.relay._composed_parts import number as number
from lathe._graph_types import plain_extent as plain_extent
from lathe.relay._composed_parts import plain_shape as plain_shape
from lathe.relay._composed_parts import sides_of as sides_of

def avg_pool2d_grad(out_grad: Any, data: Any, pool_size: Any = ..., strides: Any = ..., padding: Any = ..., layout: Any = ..., out_layout: Any = ..., ceil_mode: Any = ..., count_include_pad: Any = ...) -> Any:
    """The gradient of `nn.avg_pool2d` with respect to its data.

    Args:
        out_grad: the gradient of the result, an expression of its shape.
        data: the data of the pool, an expression of a floating type.
        pool_size, strides, padding, layout, out_layout, ceil_mode, count_include_pad: those of the pool.

    Returns:
        An expression of the type of `data`.

    Raises:
        LatheError: `graph-no-gradient`: `data` is integers. `relay-gradient-shape`: `out_grad` has another shape than
            the pool's result.

    Example:
        >>> from lathe import relay
        >>> data, grad = relay.const([[[[1.0, 4.0], [3.0, 2.0]]]]), relay.const([[[[8.0]]]])
        >>> made = relay.nn.avg_pool2d_grad(grad, data, (2, 2), (2, 2))
        >>> relay.create_executor("debug").evaluate(made).numpy().tolist()
        [[[[2.0, 2.0], [2.0, 2.0]]]]
    """

def correlation(data1: Any, data2: Any, kernel_size: Any, max_displacement: Any, stride1: Any, stride2: Any, padding: Any, is_multiply: Any, layout: Any = ...) -> Any:
    """How well patches of one image fit patches of another one near the same place (FlowNet).

    Args:
        data1, data2: expressions (batch, channels, height, width) of one known shape.
        kernel_size: the extent of a patch, an odd number.
        max_displacement: how far apart the patches' places are at most, in each direction.
        stride1: how far patches of `data1` are from each other.
        stride2: how far the displacements are from each other.
        padding: zeros around both images: one number, two, or four (top, left, bottom, right).
        is_multiply: are elements multiplied? Otherwise it is the absolute difference.
        layout: "NCHW".

    Returns:
        An expression (batch, displacements, out height, out width): the mean over patch and channels. Displacements
        are in row-major order.

    Raises:
        LatheError: `relay-window`: an even `kernel_size`, another layout, strides below 1, a displacement below 0,
            images of two shapes, or too small ones. `relay-rank`, `graph-shape-type`: no images of a known shape.

    Example:
        >>> from lathe import relay
        >>> x, y = relay.var("x", shape=(1, 4, 8, 8)), relay.var("y", shape=(1, 4, 8, 8))
        >>> relay.nn.correlation(x, y, 3, 2, 1, 2, 3, True, "NCHW").checked_type
        float32[1, 9, 8, 8]
    """

def dilation2d(data: Any, weight: Any, strides: Any = ..., padding: Any = ..., dilations: Any = ..., data_layout: Any = ..., kernel_layout: Any = ..., out_dtype: Any = ...) -> Any:
    """The grayscale dilation of images: the largest sum of a window's elements and the filter's.

    Args:
        data: an expression in `data_layout` whose shape is known.
        weight: an expression in `kernel_layout`: a filter for each channel, of a known shape.
        strides: how far the window moves.
        padding: zeros around the data: one number, two, or four (top, left, bottom, right), "VALID" (none) or "SAME"
            (as many as give results of the data's extents for strides of 1).
        dilations: the distance of a window's elements.
        data_layout: "NCHW" or "NHWC".
        kernel_layout: "IHW", or "HWI" for "NHWC".
        out_dtype: the element type of sums and result; by default that of `data`.

    Returns:
        An expression in `data_layout`.

    Raises:
        LatheError: `relay-window`: another layout, a filter for other channels, no such strides, padding or dilations,
            or data that is smaller than the window. `relay-rank`, `graph-shape-type`: an operand of another rank or of
            an unknown shape.

    Example:
        >>> from lathe import relay
        >>> x, w = relay.var("x", shape=(1, 2, 8, 8)), relay.var("w", shape=(2, 3, 3))
        >>> relay.image.dilation2d(x, w, strides=(2, 2), padding=(1, 1)).checked_type
        float32[1, 2, 4, 4]
    """

def fast_softmax(data: Any, axis: Any = ...) -> Any:
    """`nn.softmax`: its exponential function is a fast one already, so there is no second form.

    Args:
        data: an expression of a floating type.
        axis: the axis.

    Returns:
        An expression of the type of `data`.

    Example:
        >>> from lathe import relay
        >>> made = relay.nn.fast_softmax(relay.const([0.0, 0.0]))
        >>> relay.create_executor("debug").evaluate(made).numpy().tolist()
        [0.5, 0.5]
    """

def fifo_buffer(data: Any, buffer: Any, axis: Any) -> Any:
    """The last elements along an axis of `buffer` followed by `data`: a queue into which `data` is pushed.

    Args:
        data: an expression of a known shape.
        buffer: an expression whose shape differs from that of `data` along `axis` only.
        axis: the dimension.

    Returns:
        An expression of the shape of `buffer`.

    Raises:
        LatheError: `relay-axis`: no such axis. `relay-rank`, `relay-window`: the other extents of `data` and `buffer`
            differ. `graph-shape-type`: a shape is not known.

    Example:
        >>> from lathe import relay
        >>> pushed = relay.nn.fifo_buffer(relay.const([7.0]), relay.const([1.0, 2.0, 3.0]), axis=0)
        >>> relay.create_executor("debug").evaluate(pushed).numpy().tolist()
        [2.0, 3.0, 7.0]
    """

def max_pool2d_grad(out_grad: Any, data: Any, pool_size: Any = ..., strides: Any = ..., padding: Any = ..., layout: Any = ..., out_layout: Any = ..., ceil_mode: Any = ...) -> Any:
    """The gradient of `nn.max_pool2d` with respect to its data. Of equal elements, the first gets it.

    Args:
        out_grad: the gradient of the result, an expression of its shape.
        data: the data of the pool, an expression of a floating type.
        pool_size, strides, padding, layout, out_layout, ceil_mode: those of the pool.

    Returns:
        An expression of the type of `data`.

    Raises:
        LatheError: `graph-no-gradient`: `data` is integers. `relay-gradient-shape`: `out_grad` has another shape than
            the pool's result.

    Example:
        >>> from lathe import relay
        >>> data, grad = relay.const([[[[1.0, 4.0], [3.0, 2.0]]]]), relay.const([[[[5.0]]]])
        >>> made = relay.nn.max_pool2d_grad(grad, data, (2, 2), (2, 2))
        >>> relay.create_executor("debug").evaluate(made).numpy().tolist()
        [[[[0.0, 5.0], [0.0, 0.0]]]]
    """

def sliding_window(data: Any, axis: Any, window_shape: Any, strides: Any) -> Any:
    """Windows that slide over the dimensions from `axis` on.

    Args:
        data: an expression whose shape is known.
        axis: the first dimension that has windows; all behind it have them, too.
        window_shape: the extents of a window, one for each such dimension.
        strides: how far the window moves, one number for each such dimension.

    Returns:
        An expression: the dimensions before `axis`, then how many windows there are in each direction, then the
        extents of a window.

    Raises:
        LatheError: `relay-window`: windows that the data does not have. `relay-axis`: no such axis. `graph-shape-type`:
            the shape is not known.

    Example:
        >>> from lathe import relay
        >>> windows = relay.sliding_window(relay.const([1.0, 2.0, 3.0, 4.0, 5.0]), 0, (3,), (2,))
        >>> relay.create_executor("debug").evaluate(windows).numpy().tolist()
        [[1.0, 2.0, 3.0], [3.0, 4.0, 5.0]]
    """

def slope_of(build: Any, operands: Any, which: Any, grad: Any) -> Any:
    """The gradient of `build(*operands)` with respect to operand `which`, if `grad` is that of the result.

    Args:
        build: a function of expressions that returns one.
        operands: expressions.
        which: the number of an operand.
        grad: an expression of the shape of the result.

    Returns:
        An expression of the type of the operand.

    Raises:
        LatheError: `relay-gradient-shape`: `grad` has another shape. `graph-no-gradient`: the operands are integers.

    Example:
        >>> from lathe import relay
        >>> operands = relay.const(4.0), relay.const(5.0)
        >>> made = relay._composed_windows.slope_of(relay.multiply, operands, 0, relay.const(3.0))
        >>> float(relay.create_executor("debug").evaluate(made).numpy())
        15.0
    """
