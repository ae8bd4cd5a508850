"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError
from lathe.relay._composed_parts import column as column
from lathe.relay._composed_parts import extents as extents
from lathe.relay._composed_parts import number as number
from lathe.relay._composed_parts import tuple_of as tuple_of

def multibox_prior(data: Any, sizes: Any = ..., ratios: Any = ..., steps: Any = ..., offsets: Any = ..., clip: Any = ...) -> Any:
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

def multibox_transform_loc(cls_prob: Any, loc_pred: Any, anchor: Any, clip: Any = ..., threshold: Any = ..., variances: Any = ...) -> Any:
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

def yolo_reorg(data: Any, stride: Any) -> Any:
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
