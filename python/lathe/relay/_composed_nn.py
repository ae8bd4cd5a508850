"""Operators of neural networks that are compositions of others, and scatters of sparse values."""

from ..error import LatheValueError
from . import expr as _e
from ._composed_parts import extents, integer, number, plain_shape
from ._operators import builder as _op
from .compound import TupleWrapper

_METHODS = {"nearest_neighbor": "nearest_neighbor", "trilinear": "linear"}


def upsampling3d(data, scale_d=1, scale_h=1, scale_w=1, layout="NCDHW", method="nearest_neighbor",
                 coordinate_transformation_mode="half_pixel"):
    """Volumes with more elements in each direction.

    Args:
        data: an expression of rank 5 whose shape is known.
        scale_d, scale_h, scale_w: factors of depth, height and width.
        layout: the order of dimensions, such as "NCDHW" or "NDHWC".
        method: "nearest_neighbor" or "trilinear".
        coordinate_transformation_mode: as of `image.resize3d`: "half_pixel", "align_corners" or
            "asymmetric".

    Returns:
        An expression; extents are rounded to the nearest integer.

    Raises:
        LatheError: `relay-upsampling`: another method or layout, or no elements would be left. `relay-rank`,
            `graph-shape-type`: the data has no known shape of five extents.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(1, 3, 2, 4, 4))
        >>> relay.nn.upsampling3d(x, 2, 2, 2).checked_type
        float32[1, 3, 4, 8, 8]
    """
    shape = extents(data, 5)
    _check_volumes(layout, method)
    size = [int(shape[layout.index(axis)] * scale + 0.5)
            for axis, scale in (("D", scale_d), ("H", scale_h), ("W", scale_w))]
    return resized_volumes(data, size, layout, method, coordinate_transformation_mode)


def _check_volumes(layout, method):
    if method not in _METHODS or sorted(layout) != sorted("NCDHW"):
        raise LatheValueError("volumes cannot be enlarged in this way", "relay-upsampling",
                              'expected: method "nearest_neighbor" or "trilinear", and the letters of "NCDHW" as layout'
                              f"\nfound: {method!r}, {layout!r}")


def resized_volumes(data, size, layout, method, coordinate_transformation_mode):
    """`upsampling3d` to given extents.

    Args:
        data: an expression of rank 5.
        size: the new depth, height and width.
        layout, method, coordinate_transformation_mode: as of `upsampling3d`.

    Returns:
        An expression.

    Raises:
        LatheError: `relay-upsampling`: another method or layout, or an extent below 1.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(1, 3, 2, 4, 4))
        >>> relay._composed_nn.resized_volumes(x, (5, 9, 9), "NCDHW", "trilinear", "half_pixel").checked_type
        float32[1, 3, 5, 9, 9]
    """
    _check_volumes(layout, method)
    size = plain_shape(size)
    if min(size) < 1:
        raise LatheValueError("nothing would be left of the volumes", "relay-upsampling",
                              f"expected: extents of at least 1\nfound: {size}")
    return _op("image.resize3d")(data, size=size, layout=layout, method=_METHODS[method],
                                 coordinate_transformation_mode=coordinate_transformation_mode)


def conv2d_backward_weight(grad, data, strides=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1, channels=None,
                           kernel_size=None, grad_layout="NCHW", data_layout="NCHW", kernel_layout="OIHW",
                           out_dtype=""):
    """The gradient of `nn.conv2d` with respect to its weights.

    Args:
        grad: the gradient of the result, an expression (batch, out channels, out height, out width).
        data: the convolution's data, an expression (batch, channels, height, width). Both shapes are known.
        strides, padding, dilation, groups: those of the convolution.
        channels: the number of out channels; by default that of `grad`.
        kernel_size: (height, width) of the window; an int for both.
        grad_layout, data_layout: "NCHW".
        kernel_layout: "OIHW" or "HWIO", that of the result.
        out_dtype: the element type of the sums; by default the operands'.

    Returns:
        An expression (out channels, channels / groups, window height, window width).

    Raises:
        LatheError: `relay-conv2d-backward`: another layout or number of channels, no `kernel_size`, groups that do not
            divide the channels, or the convolution's result has another shape than `grad`. `relay-rank`,
            `graph-shape-type`: an operand has no known shape of four extents.

    Example:
        >>> from lathe import relay
        >>> g, x = relay.var("g", shape=(2, 8, 6, 6)), relay.var("x", shape=(2, 4, 8, 8))
        >>> relay.nn.conv2d_backward_weight(g, x, kernel_size=(3, 3)).checked_type
        float32[8, 4, 3, 3]
    """
    if (grad_layout, data_layout) != ("NCHW", "NCHW") or kernel_layout not in ("OIHW", "HWIO") or kernel_size is None:
        raise LatheValueError("the gradient of the weights cannot be computed in this form", "relay-conv2d-backward",
                              'expected: grad_layout and data_layout "NCHW", kernel_layout "OIHW" or "HWIO", and '
                              "kernel_size\n"
                              f"found: {grad_layout}, {data_layout}, {kernel_layout}, {kernel_size}\n"
                              "help: relay.layout_transform changes the order of dimensions")
    kernel_size = plain_shape(kernel_size) * (2 if len(plain_shape(kernel_size)) == 1 else 1)
    _check_slope(extents(grad, 4, "the gradient"), extents(data, 4), channels, groups, kernel_size,
                 {"strides": strides, "padding": padding, "dilation": dilation})
    turn, build = _op("transpose"), _op("nn.conv2d")
    inner, outer = extents(data)[1] // groups, extents(grad)[1] // groups
    parts = []
    for group in range(groups):
        one = _slice(data, group * inner, (group + 1) * inner, groups)
        slope = _slice(grad, group * outer, (group + 1) * outer, groups)
        # Batch and channels change places; the gradient's places are as far apart as the strides.
        made = build(turn(one, (1, 0, 2, 3)), turn(slope, (1, 0, 2, 3)), strides=dilation, padding=padding,
                     dilation=strides, out_dtype=out_dtype)
        made = _op("strided_slice")(made, begin=[0, 0], end=kernel_size, axes=[2, 3])
        parts.append(turn(made, (1, 0, 2, 3)))
    made = parts[0] if groups == 1 else _op("concatenate")(parts, axis=0)
    return made if kernel_layout == "OIHW" else turn(made, (2, 3, 1, 0))


def _check_slope(grad, data, channels, groups, kernel_size, attrs):
    """Refuses a gradient (its extents) that is not that of the convolution."""
    if channels is not None and int(channels) != grad[1]:
        raise LatheValueError("the gradient of the result has another number of channels", "relay-conv2d-backward",
                              f"expected: channels={grad[1]}, as `grad` has\nfound: {channels}")
    if groups < 1 or data[1] % groups or grad[1] % groups or len(kernel_size) != 2:
        raise LatheValueError("these are no groups or no window of the convolution", "relay-conv2d-backward",
                              f"expected: groups that divide {data[1]} and {grad[1]} channels, and two extents\n"
                              f"found: groups={groups}, kernel_size={tuple(kernel_size)}")
    weight = _e.var("weight", shape=(grad[1], data[1] // groups, *kernel_size))
    made = extents(_op("nn.conv2d")(_e.var("data", shape=data), weight, groups=groups, **attrs))
    if made != grad:
        raise LatheValueError("the gradient does not have the shape of the convolution's result",
                              "relay-conv2d-backward", f"expected: {made}\nfound: {grad}")


def _slice(expr, begin, end, groups):
    return expr if groups == 1 else _op("strided_slice")(expr, begin=[begin], end=[end], axes=[1])


def sparse_to_dense(sparse_indices, output_shape, sparse_values, default_value=0):
    """A tensor with some elements at given places, and one value everywhere else.

    Args:
        sparse_indices: an integer expression: of rank 0 or 1, the places in a result of rank 1; of
            rank 2 (count, rank of the result), a row for each place. No place is there twice.
        output_shape: the extents of the result: ints, or an integer expression of rank 1 whose length is known.
        sparse_values: an expression: an element for each place (count,), or one of rank 0 for all.
        default_value: a number or an expression of rank 0.

    Returns:
        An expression of the element type of `sparse_values`.

    Raises:
        LatheError: `relay-rank`: places of another rank. `relay-integer-type`: places or extents are no integers.
            `graph-shape-type`: the shape of `sparse_indices` or `sparse_values` is not known.

    Example:
        >>> from lathe import relay
        >>> made = relay.sparse_to_dense(relay.const([1, 3]), (5,), relay.const([7.0, 8.0]), relay.const(0.5))
        >>> relay.create_executor("debug").evaluate(made).numpy().tolist()
        [0.5, 7.0, 0.5, 8.0, 0.5]
    """
    indices, values = _e.as_expr(sparse_indices), _e.as_expr(sparse_values)
    dtype, rank = values.checked_type.dtype, len(indices.checked_type.shape)
    integer(indices, "places")
    if isinstance(output_shape, _e.Expr) and not isinstance(output_shape, _e.Constant):
        integer(output_shape, "a shape")
        shape = output_shape
    else:
        shape = plain_shape(output_shape)
    default = default_value if isinstance(default_value, _e.Expr) else number(default_value, dtype)
    count = extents(indices, min(rank, 2), "places")[0] if rank else 1
    places = _op("transpose")(indices, (1, 0)) if rank == 2 else _op("reshape")(indices, (1, count))
    if not extents(values):
        values = _op("broadcast_to")(values, shape=(count,))
    filled = _op("full")(default, shape=shape, dtype=dtype)
    return _op("scatter_nd")(filled, places, values, mode="update")


def dropout_raw(data, rate=0.5):
    """`nn.dropout` with both of its results.

    Args:
        data: an expression.
        rate: the probability that an element is dropped.

    Returns:
        Two expressions: `data`, since nothing is dropped when a network only runs, and the mask.

    Raises:
        LatheError: `graph-attribute`: `rate` is no probability, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> made, mask = relay.nn.dropout_raw(relay.var("x", shape=(2, 3)))
        >>> mask.checked_type
        float32[2, 3]
    """
    return TupleWrapper(_op("nn.dropout")(data, rate=rate).tuple_value, 2)
