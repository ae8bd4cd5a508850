"""Operators of neural networks that are compositions of others, and scatters of sparse values."""

from ..error import LatheValueError
from . import expr as _e
from ._composed_parts import extents, plain_shape
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
        LatheError: `relay-upsampling`: another method or layout.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(1, 3, 2, 4, 4))
        >>> relay.nn.upsampling3d(x, 2, 2, 2).checked_type
        float32[1, 3, 4, 8, 8]
    """
    if method not in _METHODS or not all(axis in layout for axis in "DHW"):
        raise LatheValueError("volumes cannot be enlarged in this way", "relay-upsampling",
                              'expected: method "nearest_neighbor" or "trilinear", and a layout with D, H and W\n'
                              f"found: {method!r}, {layout!r}")
    shape = extents(data)
    size = [int(shape[layout.index(axis)] * scale + 0.5)
            for axis, scale in (("D", scale_d), ("H", scale_h), ("W", scale_w))]
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
        kernel_size: (height, width) of the window.
        grad_layout, data_layout: "NCHW".
        kernel_layout: "OIHW" or "HWIO", that of the result.
        out_dtype: the element type of the sums; by default the operands'.

    Returns:
        An expression (out channels, channels / groups, window height, window width).

    Raises:
        LatheError: `relay-conv2d-backward`: another layout or number of channels, or no `kernel_size`.

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
    if channels is not None and int(channels) != extents(grad)[1]:
        raise LatheValueError("the gradient of the result has another number of channels", "relay-conv2d-backward",
                              f"expected: channels={extents(grad)[1]}, as `grad` has\nfound: {channels}")
    turn, build = _op("transpose"), _op("nn.conv2d")
    inner, outer = extents(data)[1] // groups, extents(grad)[1] // groups
    parts = []
    for group in range(groups):
        one = _slice(data, group * inner, (group + 1) * inner, groups)
        slope = _slice(grad, group * outer, (group + 1) * outer, groups)
        # Batch and channels change places; the gradient's places are as far apart as the strides.
        made = build(turn(one, (1, 0, 2, 3)), turn(slope, (1, 0, 2, 3)), strides=dilation, padding=padding,
                     dilation=strides, out_dtype=out_dtype)
        made = _op("strided_slice")(made, begin=[0, 0], end=list(kernel_size), axes=[2, 3])
        parts.append(turn(made, (1, 0, 2, 3)))
    made = parts[0] if groups == 1 else _op("concatenate")(parts, axis=0)
    return made if kernel_layout == "OIHW" else turn(made, (2, 3, 1, 0))


def _slice(expr, begin, end, groups):
    return expr if groups == 1 else _op("strided_slice")(expr, begin=[begin], end=[end], axes=[1])


def sparse_to_dense(sparse_indices, output_shape, sparse_values, default_value=0):
    """A tensor with some elements at given places, and one value everywhere else.

    Args:
        sparse_indices: an integer expression: of rank 0 or 1, the places in a result of rank 1; of
            rank 2 (count, rank of the result), a row for each place. No place is there twice.
        output_shape: the extents of the result, ints.
        sparse_values: an expression: an element for each place (count,), or one of rank 0 for all.
        default_value: a number or an expression of rank 0.

    Returns:
        An expression of the element type of `sparse_values`.

    Example:
        >>> from lathe import relay
        >>> made = relay.sparse_to_dense(relay.const([1, 3]), (5,), relay.const([7.0, 8.0]), relay.const(0.5))
        >>> relay.create_executor("debug").evaluate(made).numpy().tolist()
        [0.5, 7.0, 0.5, 8.0, 0.5]
    """
    indices, values = _e.as_expr(sparse_indices), _e.as_expr(sparse_values)
    dtype, shape = values.checked_type.dtype, [int(n) for n in plain_shape(output_shape)]
    default = default_value if isinstance(default_value, _e.Expr) else _e.const(default_value, dtype)
    rank = len(extents(indices))
    count = extents(indices)[0] if rank else 1
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

    Example:
        >>> from lathe import relay
        >>> made, mask = relay.nn.dropout_raw(relay.var("x", shape=(2, 3)))
        >>> mask.checked_type
        float32[2, 3]
    """
    return TupleWrapper(_op("nn.dropout")(data, rate=rate).tuple_value, 2)
