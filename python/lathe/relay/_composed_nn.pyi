"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError
from lathe.relay.compound import TupleWrapper as TupleWrapper
from lathe.relay._composed_parts import extents as extents
from lathe.relay._composed_parts import integer as integer
from lathe.relay._composed_parts import number as number
from lathe.relay._composed_parts import plain_shape as plain_shape

def conv2d_backward_weight(grad: Any, data: Any, strides: Any = ..., padding: Any = ..., dilation: Any = ..., groups: Any = ..., channels: Any = ..., kernel_size: Any = ..., grad_layout: Any = ..., data_layout: Any = ..., kernel_layout: Any = ..., out_dtype: Any = ...) -> Any:
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

def dropout_raw(data: Any, rate: Any = ...) -> Any:
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

def resized_volumes(data: Any, size: Any, layout: Any, method: Any, coordinate_transformation_mode: Any) -> Any:
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

def sparse_to_dense(sparse_indices: Any, output_shape: Any, sparse_values: Any, default_value: Any = ...) -> Any:
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

def upsampling3d(data: Any, scale_d: Any = ..., scale_h: Any = ..., scale_w: Any = ..., layout: Any = ..., method: Any = ..., coordinate_transformation_mode: Any = ...) -> Any:
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
