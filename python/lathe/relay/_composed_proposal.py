"""Proposals of regions (Faster R-CNN), as a composition of other operators."""

import numpy as np

from ..error import LatheValueError
from . import expr as _e
from ._composed_parts import column, extents, number
from ._operators import builder as _op


def anchors(scales, ratios, base):
    """Boxes around the centre of a square of `base` elements, a row for each ratio and, within it, each scale.

    Args:
        scales: factors of the extents.
        ratios: height divided by width.
        base: the extent of the square.

    Returns:
        A NumPy array (ratios scales, 4): left, top, right, bottom; both ends are elements of the box.

    Raises:
        LatheError: `relay-boxes`: a ratio or the square's extent is not above 0.

    Example:
        >>> from lathe import relay
        >>> relay._composed_proposal.anchors((1.0,), (1.0,), 4).tolist()
        [[0.0, 0.0, 3.0, 3.0]]
    """
    if min(base, *ratios) <= 0:
        raise LatheValueError("there are no such anchors", "relay-boxes",
                              f"expected: ratios and an extent above 0\nfound: {ratios}, {base}")
    made = []
    for ratio in ratios:
        width = np.floor(np.sqrt(np.floor(base * base / ratio)) + 0.5)
        height = np.floor(width * ratio + 0.5)
        for scale in scales:
            half = (np.array([width, height]) * scale - 1) / 2
            made.append(np.concatenate([(base - 1) / 2 - half, (base - 1) / 2 + half]))
    return np.array(made)


class _Numbers:
    """Arithmetic with numbers of one element type."""

    def __init__(self, dtype):
        self.dtype = dtype

    def __getattr__(self, name):
        def made(*operands):
            return _op(name)(*(one if isinstance(one, _e.Expr) else number(one, self.dtype) for one in operands))

        return made


def _moved(n, low, high, first, second, iou_loss):
    """The two ends of boxes in one direction, as a network moves them."""
    if iou_loss:
        return n.add(low, first), n.add(high, second)
    extent = high - low + 1
    middle = n.add(n.multiply(first, extent), low + (extent - 1) / 2)
    half = n.multiply(n.subtract(n.multiply(n.exp(second), extent), 1.0), 0.5)
    return n.subtract(middle, half), n.add(middle, half)


def _candidates(cls_prob, bbox_pred, im_info, scales, ratios, stride, least, iou_loss):
    """(left, top, right, bottom), scores: expressions (batch, height width anchors)."""
    prob = _e.as_expr(cls_prob)
    n, (batch, channels, height, width) = _Numbers(prob.checked_type.dtype), extents(prob)
    count, base = len(scales) * len(ratios), anchors(scales, ratios, stride)
    flat = [batch, height * width * count]
    moves = _op("reshape")(bbox_pred, [batch, count, 4, height, width])
    moves = _op("reshape")(_op("transpose")(moves, (0, 3, 4, 1, 2)), [*flat, 4])
    moves = [column(moves, i, axis=2) for i in range(4)]
    row, across, which = (one.ravel() for one in np.indices((height, width, count)))
    ends = [base[which, i] + (across, row)[i % 2] * stride for i in range(4)]
    image = [_op("strided_slice")(im_info, begin=[i], end=[i + 1], axes=[1]) for i in range(3)]
    left, right = _moved(n, ends[0], ends[2], moves[0], moves[2], iou_loss)
    top, bottom = _moved(n, ends[1], ends[3], moves[1], moves[3], iou_loss)
    low = n.multiply(image[2], least)
    score = _op("strided_slice")(prob, begin=[count], end=[channels], axes=[1])
    score = _op("reshape")(_op("transpose")(score, (0, 2, 3, 1)), flat)
    # Places outside of the image, in a batch of images of different sizes: only whole strides are inside.
    for place, extent in ((row, image[0]), (across, image[1])):
        score = n.where(n.greater_equal(place, n.trunc(n.divide(extent, stride))), -1.0, score)
    sides, small = [], None
    for begin, end, extent in ((left, right, image[1]), (top, bottom, image[0])):
        begin, end = (n.maximum(n.minimum(one, n.subtract(extent, 1.0)), 0.0) for one in (begin, end))
        short = n.less(n.add(n.subtract(end, begin), 1.0), low)
        small = short if small is None else n.logical_or(small, short)
        sides.append((begin, end))
    # A box that is too small is enlarged, and gets the score -1, so that it comes last.
    half, score = n.multiply(low, 0.5), n.where(small, -1.0, score)
    (left, right), (top, bottom) = [(n.where(small, n.subtract(begin, half), begin),
                                     n.where(small, n.add(end, half), end)) for begin, end in sides]
    return (left, top, right, bottom), score


def _check(prob, bbox_pred, im_info, scales, ratios, threshold, after):
    batch, channels, height, width = shape = extents(prob, 4, "probabilities")
    count = len(scales) * len(ratios)
    wanted = [batch, 2 * count, height, width], [batch, 4 * count, height, width], [batch, 3]
    found = shape, extents(bbox_pred, 4, "predictions"), extents(im_info, 2, "images")
    if found != wanted:
        raise LatheValueError("the operands do not fit the anchors", "relay-boxes",
                              f"expected: shapes {wanted[0]}, {wanted[1]}, {wanted[2]} for {count} anchors\n"
                              f"found: {found[0]}, {found[1]}, {found[2]}")
    if not count or threshold < 0 or after < 1:
        raise LatheValueError("there are no such proposals", "relay-boxes",
                              "expected: scales and ratios, a threshold of 0 or more, and results\n"
                              f"found: {scales}, {ratios}, {threshold}, {after}")


def _next(threshold, dtype):
    """The least number above a threshold: overlaps of it or more are those above the threshold."""
    kind = np.dtype(dtype if dtype in ("float16", "float64") else "float32").type
    return float(max(np.nextafter(kind(threshold), kind(2)), 2 * np.finfo(kind).tiny))


def proposal(cls_prob, bbox_pred, im_info, scales, ratios, feature_stride, threshold, rpn_pre_nms_top_n,
             rpn_post_nms_top_n, rpn_min_size, iou_loss):
    """The regions of images in which a network expects objects (Faster R-CNN).

    Args:
        cls_prob: an expression (batch, 2 anchors, height, width): probabilities of background, then of objects.
        bbox_pred: an expression (batch, 4 anchors, height, width): for each anchor, how far its centre moves in x and
            y, and the logarithms of the factors of width and height.
        im_info: an expression (batch, 3): each image's height, width and scale.
        scales: factors of the anchors' extents.
        ratios: height divided by width of anchors; anchors are all scales of the first ratio, and so on.
        feature_stride: how many of the image's elements are between places.
        threshold: an overlap (intersection / union) above it drops the box with the lower score.
        rpn_pre_nms_top_n: so many of the best boxes are considered; 0 or less: all.
        rpn_post_nms_top_n: so many boxes are the result. If fewer stay, they are repeated from the first one on.
        rpn_min_size: the least extent of a box, times the image's scale.
        iou_loss: does `bbox_pred` say how far a box's left, top, right and bottom move?

    Returns:
        An expression (batch rpn_post_nms_top_n, 5): the image's number in the batch, left, top, right, bottom.

    Raises:
        LatheError: `relay-boxes`: operands that do not fit the scales and ratios, or numbers that are too small.
            `relay-rank`, `graph-shape-type`: an operand of another rank or of an unknown shape.

    Example:
        >>> from lathe import relay
        >>> prob, moves = relay.var("p", shape=(1, 6, 4, 5)), relay.var("m", shape=(1, 12, 4, 5))
        >>> made = relay.vision.proposal(prob, moves, relay.var("i", shape=(1, 3)), (1.0,), (0.5, 1.0, 2.0), 16, 0.7,
        ...                              40, 10, 16, False)
        >>> made.checked_type
        float32[10, 5]
    """
    scales, ratios = [float(s) for s in scales], [float(r) for r in ratios]
    _check(cls_prob, bbox_pred, im_info, scales, ratios, threshold, rpn_post_nms_top_n)
    ends, score = _candidates(cls_prob, bbox_pred, im_info, scales, ratios, feature_stride, rpn_min_size, iou_loss)
    n, (batch, count) = _Numbers(score.checked_type.dtype), extents(score)
    boxes = _op("stack")(ends, axis=2)
    kept = min(rpn_pre_nms_top_n, count) if rpn_pre_nms_top_n > 0 else count
    best = _op("topk")(score, k=kept, axis=1, ret_type="indices", dtype="int32")
    boxes, score = (_op("take")(one, best, axis=1, batch_dims=1) for one in (boxes, score))
    # Both ends belong to a box, so it is larger by 1 than their difference.
    rows = _op("concatenate")([_op("expand_dims")(score, axis=2), n.add(boxes, [0, 0, 1, 1])], axis=2)
    numbers = _e.const(np.broadcast_to(np.arange(kept, dtype="int32"), (batch, kept)).copy())
    stay, found = _op("vision.non_max_suppression")(
        rows, _e.const(np.full(batch, kept, "int32")), numbers, iou_threshold=_next(threshold, n.dtype),
        force_suppress=True, coord_start=1, score_index=0, id_index=-1)
    places = _e.const(np.arange(rpn_post_nms_top_n, dtype="int32")[None])
    places = _op("floor_mod")(places, _op("maximum")(_op("cast")(found, dtype="int32"), _e.const(1)))
    chosen = _op("take")(_op("cast")(stay, dtype="int32"), places, axis=1, batch_dims=1)
    boxes = _op("take")(boxes, chosen, axis=1, batch_dims=1)
    image = np.repeat(np.arange(batch), rpn_post_nms_top_n).reshape(batch, rpn_post_nms_top_n, 1)
    made = _op("concatenate")([_e.const(image.astype(n.dtype)), boxes], axis=2)
    return _op("reshape")(made, [batch * rpn_post_nms_top_n, 5])
