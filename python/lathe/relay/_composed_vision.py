"""Operators of object detection that are compositions of others."""

import numpy as np

from ..error import LatheValueError
from . import expr as _e
from ._composed_parts import column, extents, number, tuple_of
from ._operators import builder as _op


def yolo_reorg(data, stride):
    """Darknet's exchange of space and channels.

    The data is taken as images of channels / stride^2 channels that are `stride` times higher and wider; each becomes
    stride^2 images, whose elements are `stride` apart.

    Args:
        data: an expression (batch, channels, height, width) of a known shape: stride^2 divides the channels, stride
            height and width.
        stride: how far apart elements are.

    Returns:
        An expression (batch, channels stride^2, height / stride, width / stride).

    Raises:
        LatheError: `relay-reorg`: extents that `stride` does not fit, or it is below 1. `relay-rank`,
            `graph-shape-type`: no images of a known shape.

    Example:
        >>> from lathe import relay
        >>> relay.vision.yolo_reorg(relay.var("x", shape=(1, 4, 6, 8)), 2).checked_type
        float32[1, 16, 3, 4]
    """
    batch, channels, height, width = extents(data, 4)
    square = stride * stride
    if stride < 1 or channels % square or height % stride or width % stride:
        raise LatheValueError("the images cannot be rearranged", "relay-reorg",
                              "expected: a stride above 0 that divides height and width; its square, the channels\n"
                              f"found: stride {stride}, {channels} channels, {height} x {width}")
    made = _op("reshape")(data, [batch, channels // square, height, stride, width, stride])
    made = _op("transpose")(made, (0, 3, 5, 1, 2, 4))
    return _op("reshape")(made, [batch, channels * square, height // stride, width // stride])


def multibox_prior(data, sizes=(1.0,), ratios=(1.0,), steps=(-1.0, -1.0), offsets=(0.5, 0.5), clip=False):
    """The boxes around each place of a feature map from which a detector starts (SSD). They are constants.

    Args:
        data: an expression (batch, channels, height, width) whose shape is known; its elements do not matter.
        sizes: the extents of square boxes, as parts of the image's height.
        ratios: width divided by height of boxes of the first size; the first one is not used.
        steps: how far places are apart in y and x, as parts of the image; by default 1 / height and 1 / width.
        offsets: where a place's centre is, in steps.
        clip: are boxes cut at the borders of the image?

    Returns:
        An expression (1, height width (sizes + ratios - 1), 4): left, top, right, bottom.

    Raises:
        LatheError: `relay-boxes`: no sizes or ratios, ratios that are not above 0, or not two steps or offsets.
            `relay-rank`, `graph-shape-type`: no images of a known shape.

    Example:
        >>> from lathe import relay
        >>> made = relay.vision.multibox_prior(relay.var("x", shape=(1, 3, 1, 2)), sizes=(0.5,))
        >>> relay.create_executor("debug").evaluate(made).numpy().tolist()
        [[[0.125, 0.25, 0.375, 0.75], [0.625, 0.25, 0.875, 0.75]]]
    """
    data = _e.as_expr(data)
    height, width = extents(data, 4)[2:]
    sizes, ratios = (np.atleast_1d(one).astype("float64") for one in (sizes, ratios))
    if not sizes.size or not ratios.size or not (ratios > 0).all() or [np.size(steps), np.size(offsets)] != [2, 2]:
        raise LatheValueError("there are no such boxes", "relay-boxes",
                              "expected: sizes, ratios above 0, two steps and two offsets\n"
                              f"found: {sizes.tolist()}, {ratios.tolist()}, {steps}, {offsets}")
    ratios = np.sqrt(ratios)
    step = [given if given > 0 else 1.0 / extent for given, extent in zip(steps, (height, width))]
    y, x = ((np.arange(n) + at) * s for n, at, s in zip((height, width), offsets, step))
    half_h = np.concatenate([sizes, sizes[0] / ratios[1:]]) / 2
    half_w = np.concatenate([sizes, sizes[0] * ratios[1:]]) * height / width / 2
    centre_y, centre_x = y[:, None, None], x[None, :, None]
    sides = centre_x - half_w, centre_y - half_h, centre_x + half_w, centre_y + half_h
    boxes = np.stack(np.broadcast_arrays(*sides), axis=-1).reshape(1, -1, 4)
    return _e.const(np.clip(boxes, 0, 1) if clip else boxes, data.checked_type.dtype)


def _corners(centre, extent, low, variances, offsets):
    """The two ends of a box in one direction, moved and scaled by what a detector says."""
    dtype = low.checked_type.dtype
    move, scale = (_op("multiply")(one, number(v, dtype)) for one, v in zip(offsets, variances))
    middle = _op("add")(_op("multiply")(move, extent), centre)
    half = _op("multiply")(_op("multiply")(_op("exp")(scale), extent), number(0.5, dtype))
    return _op("subtract")(middle, half), _op("add")(middle, half)


def _of_anchors(low, high):
    half = number(0.5, low.checked_type.dtype)
    return _op("multiply")(_op("add")(low, high), half), _op("subtract")(high, low)


def multibox_transform_loc(cls_prob, loc_pred, anchor, clip=True, threshold=0.01, variances=(0.1, 0.1, 0.2, 0.2)):
    """The boxes that a detector found (SSD), at the beginning of each batch element's rows.

    Args:
        cls_prob: an expression (batch, classes, anchors): the probability of each class; the first is the background.
        loc_pred: an expression (batch, anchors * 4): for each anchor, how far its centre moves in x and y, and the
            logarithms of the factors of width and height.
        anchor: an expression (1, anchors, 4): left, top, right, bottom (`multibox_prior`).
        clip: are boxes cut at the borders of the image, 0 and 1?
        threshold: a box with a lower probability is background.
        variances: factors of the columns of `loc_pred`.

    Returns:
        Two expressions: boxes (batch, anchors, 6) of class (without the background: from 0 on), probability, left, top,
        right, bottom, with rows of -1 behind them; how many boxes there are, int32 (batch,).

    Raises:
        LatheError: `relay-boxes`: no class besides the background, anchors of another shape, or not four variances.
            `relay-rank`, `graph-shape-type`: an operand of another rank or of an unknown shape.

    Example:
        >>> from lathe import relay
        >>> prob, moved = relay.var("p", shape=(2, 3, 9)), relay.var("l", shape=(2, 36))
        >>> boxes, count = relay.vision.multibox_transform_loc(prob, moved, relay.var("a", shape=(1, 9, 4)))
        >>> boxes.checked_type, count.checked_type
        (float32[2, 9, 6], int32[2])
    """
    prob = _e.as_expr(cls_prob)
    dtype, (batch, classes, count) = prob.checked_type.dtype, extents(prob, 3, "probabilities")
    found = extents(loc_pred, 2, "predictions"), extents(anchor, 3, "anchors"), len(variances)
    if classes < 2 or found != ([batch, count * 4], [1, count, 4], 4):
        raise LatheValueError("the operands of a detector do not fit", "relay-boxes",
                              f"expected: two classes or more, predictions {[batch, count * 4]}, anchors "
                              f"{[1, count, 4]}, 4 variances\n"
                              f"found: {classes}, {found[0]}, {found[1]}, {found[2]}")
    moves = _op("reshape")(loc_pred, [batch, count, 4])
    move_x, move_y, scale_x, scale_y = (column(moves, i) for i in range(4))
    left, top, right, bottom = (column(anchor, i) for i in range(4))
    x, y = (_corners(*_of_anchors(low, high), low, factors, given) for low, high, factors, given in (
        (left, right, variances[::2], (move_x, scale_x)), (top, bottom, variances[1::2], (move_y, scale_y))))
    box = [x[0], y[0], x[1], y[1]]
    if clip:
        box = [_op("clip")(one, a_min=0.0, a_max=1.0) for one in box]
    found = _op("strided_slice")(prob, begin=[1], end=[classes], axes=[1])
    score, kind = _op("max")(found, axis=[1]), _op("argmax")(found, axis=[1])
    valid = _op("greater_equal")(score, number(threshold, dtype))
    rows = _op("stack")([_op("cast")(kind, dtype=dtype), score, *box], axis=2)
    rows = _op("where")(_op("expand_dims")(valid, axis=2), rows, number(-1, dtype))
    # Equal keys stay in order, so boxes keep the order of their anchors.
    order = _op("argsort")(_op("cast")(_op("logical_not")(valid), dtype="int32"), axis=1, dtype="int32")
    rows = _op("take")(rows, order, axis=1, batch_dims=1)
    return tuple_of(rows, _op("sum")(_op("cast")(valid, dtype="int32"), axis=[1]))
