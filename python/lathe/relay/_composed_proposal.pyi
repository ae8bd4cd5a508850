"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError
from lathe.relay._composed_parts import column as column
from lathe.relay._composed_parts import extents as extents
from lathe.relay._composed_parts import number as number

def anchors(scales: Any, ratios: Any, base: Any) -> Any:
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

def proposal(cls_prob: Any, bbox_pred: Any, im_info: Any, scales: Any, ratios: Any, feature_stride: Any, threshold: Any, rpn_pre_nms_top_n: Any, rpn_post_nms_top_n: Any, rpn_min_size: Any, iou_loss: Any) -> Any:
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
