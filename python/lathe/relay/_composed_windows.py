"""Operators that look at windows of their data, as compositions: the windows are a `take` with known places."""

import numpy as np

from ..error import LatheValueError
from . import expr as _e
from ._composed_parts import axis_of, extents, number, plain_shape, sides_of
from ._operators import builder as _op
from .ty import plain_extent


def _pair(value, what):
    """Two numbers above 0, of one or two."""
    found = plain_shape(value)
    found = found * 2 if len(found) == 1 else found
    if len(found) != 2 or min(found) < 1:
        _refuse(f"windows have no such {what}", "one or two numbers above 0", value)
    return found


def _padded(data, padding, layout, window):
    sides = sides_of(padding, window)
    if sides is None or min(sides) < 0:
        _refuse("this is no padding of images", 'one number, two, or four, "SAME" or "VALID"', repr(padding))
    top, left, bottom, right = sides
    if not any(sides):
        return data
    sides = {"H": (top, bottom), "W": (left, right)}
    return _op("nn.pad")(data, pad_width=[sides.get(axis, (0, 0)) for axis in layout])


def _taken(data, axis, begin, count, stride, window, dilation=1):
    """`data` with two dimensions in place of one: windows, and the places in each."""
    places = begin + np.arange(count)[:, None] * stride + np.arange(window) * dilation
    return _op("take")(data, number(places, "int32"), axis=axis)


def _refuse(message, expected, found):
    raise LatheValueError(message, "relay-window", f"expected: {expected}\nfound: {found}")


def sliding_window(data, axis, window_shape, strides):
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
    given = extents(data)
    axis, windows, strides = axis_of(axis, len(given)), plain_shape(window_shape), plain_shape(strides)
    if len(windows) != len(given) - axis or len(strides) != len(windows) or min(strides) < 1 \
            or any(not 1 <= n <= extent for n, extent in zip(windows, given[axis:])):
        _refuse("the data has no such windows", f"an extent of each window of 1 to {given[axis:]}, and as many strides",
                f"window_shape={tuple(windows)}, strides={tuple(strides)}")
    made, count = _e.as_expr(data), len(windows)
    for i in reversed(range(count)):
        steps = (given[axis + i] - windows[i]) // strides[i] + 1
        made = _taken(made, axis + i, 0, steps, strides[i], windows[i])
    order = [*range(axis), *range(axis, axis + 2 * count, 2), *range(axis + 1, axis + 2 * count, 2)]
    return _op("transpose")(made, order)


def dilation2d(data, weight, strides=(1, 1), padding=(0, 0), dilations=(1, 1), data_layout="NCHW", kernel_layout="IHW",
               out_dtype=""):
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
    if (data_layout, kernel_layout) not in (("NCHW", "IHW"), ("NHWC", "HWI")):
        _refuse("images of this layout cannot be dilated", '"NCHW" and "IHW", or "NHWC" and "HWI"',
                f"{data_layout}, {kernel_layout}")
    shape, of_weight = extents(data, 4), extents(weight, 3, "the filter")
    if shape[data_layout.index("C")] != of_weight[kernel_layout.index("I")]:
        _refuse("there must be a filter for each channel", f"{shape[data_layout.index('C')]} filters",
                of_weight[kernel_layout.index("I")])
    strides, dilations = _pair(strides, "strides"), _pair(dilations, "dilations")
    window = [of_weight[kernel_layout.index(axis)] for axis in "HW"]
    reach = [(n - 1) * far + 1 for n, far in zip(window, dilations)]
    made = _padded(_e.as_expr(data), padding, data_layout, reach)
    if out_dtype:
        made, weight = _op("cast")(made, dtype=out_dtype), _op("cast")(weight, dtype=out_dtype)
    places = data_layout.index("H"), data_layout.index("W")
    for i in (1, 0):
        extent = extents(made)[places[i]]
        if not 1 <= reach[i] <= extent:
            _refuse("the images are smaller than the window", f"windows of 1 to {extent} elements, with padding",
                    f"{reach[i]}, with dilation")
        made = _taken(made, places[i], 0, (extent - reach[i]) // strides[i] + 1, strides[i], window[i], dilations[i])
    # The dimensions are now those of the data, each of the two spatial ones with the window's behind it.
    shape = [1, window[0], 1, window[1]]
    shape.insert(0 if data_layout == "NCHW" else 4, of_weight[kernel_layout.index("I")])
    return _op("max")(_op("add")(made, _op("reshape")(weight, shape)), axis=[places[0] + 1, places[1] + 2])


def correlation(data1, data2, kernel_size, max_displacement, stride1, stride2, padding, is_multiply, layout="NCHW"):
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
    if layout != "NCHW" or kernel_size % 2 == 0 or min(kernel_size, stride1, stride2) < 1 or max_displacement < 0:
        _refuse("patches are compared in one form", 'layout "NCHW", an odd kernel_size, strides above 0, and a '
                "displacement of 0 or more", f"{layout}, {kernel_size}, {stride1}, {stride2}, {max_displacement}")
    if extents(data1, 4, "images") != extents(data2, 4, "images"):
        _refuse("images are compared with others of their shape", extents(data1), extents(data2))
    first, second = (_padded(_e.as_expr(one), padding, layout, (kernel_size,) * 2) for one in (data1, data2))
    batch, _, height, width = extents(first)
    kept = [n - 2 * max_displacement for n in (height, width)]
    if min(kept) < kernel_size:
        _refuse("the images are too small to be compared", f"at least {2 * max_displacement + kernel_size} rows and "
                "columns, with padding", f"{height} and {width}")
    radius = max_displacement // stride2
    side = 2 * radius + 1
    first = _op("strided_slice")(first, begin=[max_displacement] * 2, end=[n + max_displacement for n in kept],
                                 axes=[2, 3])
    for axis, extent in ((3, kept[1]), (2, kept[0])):
        second = _taken(second, axis, max_displacement - radius * stride2, side, stride2, extent)
    first = _op("expand_dims")(_op("expand_dims")(first, axis=3), axis=2)
    pairs = _op("multiply")(first, second) if is_multiply else _op("abs")(_op("subtract")(first, second))
    made = _op("transpose")(_op("mean")(pairs, axis=[1]), (0, 1, 3, 2, 4))
    made = _op("reshape")(made, [batch, side * side, *kept])
    return _op("nn.avg_pool2d")(made, pool_size=(kernel_size,) * 2, strides=(stride1,) * 2)


def fifo_buffer(data, buffer, axis):
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
    given = extents(buffer)
    axis, pushed = axis_of(axis, len(given), "the buffer"), extents(data, len(given))
    new, kept = pushed[axis], given[axis]
    if pushed[:axis] + pushed[axis + 1:] != given[:axis] + given[axis + 1:]:
        _refuse("what is pushed into a buffer must fit it", f"{given} but for axis {axis}", pushed)
    made = _op("concatenate")([buffer, data], axis=axis)
    return _op("strided_slice")(made, begin=[new], end=[new + kept], axes=[axis])


def slope_of(build, operands, which, grad):
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
    from .compound import Function, bind
    from .transform import gradient

    given = [_e.as_expr(one) for one in (*operands, grad)]
    params = [_e.var(f"x{i}", one.checked_type) for i, one in enumerate(given)]
    made = build(*params[:-1])
    wanted, found = ([plain_extent(n) for n in one.checked_type.shape] for one in (made, given[-1]))
    if len(wanted) != len(found) or any(isinstance(n, int) and isinstance(m, int) and n != m
                                        for n, m in zip(wanted, found)):
        raise LatheValueError("the gradient does not have the shape of the result", "relay-gradient-shape",
                              f"expected: {made.checked_type}\nfound: {given[-1].checked_type}")
    slope = gradient(Function(params, _op("multiply")(made, params[-1])))
    return bind(slope.body.fields[1].fields[which], dict(zip(slope.params, given)))


def max_pool2d_grad(out_grad, data, pool_size=(1, 1), strides=(1, 1), padding=(0, 0), layout="NCHW", out_layout="",
                    ceil_mode=False):
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
    return slope_of(lambda x: _op("nn.max_pool2d")(x, pool_size=pool_size, strides=strides, padding=padding,
                                                   layout=layout, out_layout=out_layout, ceil_mode=ceil_mode),
                    [data], 0, out_grad)


def avg_pool2d_grad(out_grad, data, pool_size=(1, 1), strides=(1, 1), padding=(0, 0), layout="NCHW", out_layout="",
                    ceil_mode=False, count_include_pad=False):
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
    return slope_of(lambda x: _op("nn.avg_pool2d")(x, pool_size=pool_size, strides=strides, padding=padding,
                                                   layout=layout, out_layout=out_layout, ceil_mode=ceil_mode,
                                                   count_include_pad=count_include_pad), [data], 0, out_grad)


def fast_softmax(data, axis=-1):
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
    return _op("nn.softmax")(data, axis=axis)
