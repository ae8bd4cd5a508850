"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.relay._composed_proposal import anchors as anchors
from lathe.topi._from_relay import of_tensors as of_tensors
from lathe import relay as relay
from lathe.topi._from_relay import that_reads as that_reads

def all_class_non_max_suppression(boxes: Any, scores: Any, max_output_boxes_per_class: Any, iou_threshold: Any, score_threshold: Any) -> Any:
    """For each image and each class, in the order of scores, the boxes whose intersection over union with every box that stays is at most the threshold (ONNX's NonMaxSuppression): (image, class, box) of each [their number, 3].

    Args:
        boxes: a tensor. Two corners (y1, x1, y2, x2) of each box, in any order [images, boxes, 4].
        scores: a tensor. [images, classes, boxes].
        max_output_boxes_per_class: an int. No more boxes stay; negative: any number.
        iou_threshold: a number. A larger overlap drops a box.
        score_threshold: a number. Scores must be greater.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.vision.all_class_non_max_suppression(boxes=te.placeholder((4, 6, 4)), scores=te.placeholder((4, 2, 6)), max_output_boxes_per_class=-1, iou_threshold=0.2, score_threshold=-1.0)
    """

def generate_anchor(ratio: Any, scale: Any, base_size: Any) -> Any:
    """A box around the centre of a square.

    Args:
        ratio: height divided by width.
        scale: a factor of both.
        base_size: the extent of the square.

    Returns:
        (left, top, right, bottom), floats; both ends are elements of the box.

    Raises:
        LatheError: `relay-boxes`: `ratio` or `base_size` is not above 0.

    Example:
        >>> from lathe import topi
        >>> topi.vision.generate_anchor(1.0, 2.0, 4)
        (-2.0, -2.0, 5.0, 5.0)
    """

def get_valid_counts(data: Any, score_threshold: Any, id_index: Any = ..., score_index: Any = ...) -> Any:
    """Boxes with a score above a threshold and a class, in front of all others: (their number [batch], the rows [batch, boxes, columns], their numbers in `data` [batch, boxes]). What follows is -1.

    Args:
        data: a tensor. Boxes [batch, boxes, columns].
        score_threshold: a number. Scores must be greater.
        id_index: an int. The column of the class; negative: none.
        score_index: an int. The column of the score.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.vision.get_valid_counts(data=te.placeholder((4, 6, 6)), score_threshold=0.1)
    """

def multibox_detection(cls_prob: Any, loc_pred: Any, anchor: Any, clip: Any = ..., threshold: Any = ..., nms_threshold: Any = ..., force_suppress: Any = ..., variances: Any = ..., nms_topk: Any = ...) -> Any:
    """The boxes that a detector found, without those that overlap better ones.

    Args:
        cls_prob, loc_pred, anchor, clip, threshold, variances: as of `multibox_transform_loc`.
        nms_threshold: the overlap that drops a box.
        force_suppress: do boxes drop those of other classes?
        nms_topk: only so many of the best boxes count; 0 or less: all.

    Returns:
        A tensor (batch, anchors, 6) of class, probability, left, top, right, bottom, with rows of -1 for boxes that
        were dropped.

    Example:
        >>> from lathe import te, topi
        >>> prob, moves, anchor = te.placeholder((2, 3, 9)), te.placeholder((2, 36)), te.placeholder((1, 9, 4))
        >>> topi.vision.multibox_detection(prob, moves, anchor).shape
        (2, 9, 6)
    """

def multibox_prior(data: Any, sizes: Any = ..., ratios: Any = ..., steps: Any = ..., offsets: Any = ..., clip: Any = ...) -> Any:
    """The boxes around each place of a feature map from which a detector starts: `relay.vision.multibox_prior`.

    Args:
        data: a tensor (batch, channels, height, width).
        sizes, ratios, steps, offsets, clip: as of `relay.vision.multibox_prior`.

    Returns:
        A tensor (1, height width (sizes + ratios - 1), 4).

    Example:
        >>> from lathe import te, topi
        >>> topi.vision.multibox_prior(te.placeholder((1, 3, 5, 4)), sizes=(0.5, 0.2)).shape
        (1, 40, 4)
    """

def multibox_transform_loc(cls_prob: Any, loc_pred: Any, anchor: Any, clip: Any = ..., threshold: Any = ..., variances: Any = ...) -> Any:
    """The boxes that a detector found, first in each batch element: `relay.vision.multibox_transform_loc`.

    Args:
        cls_prob: a tensor (batch, classes, anchors).
        loc_pred: a tensor (batch, anchors * 4).
        anchor: a tensor (1, anchors, 4).
        clip, threshold, variances: as of `relay.vision.multibox_transform_loc`.

    Returns:
        A list of two tensors: boxes (batch, anchors, 6), how many they are (batch,).

    Example:
        >>> from lathe import te, topi
        >>> prob, moves, anchor = te.placeholder((2, 3, 9)), te.placeholder((2, 36)), te.placeholder((1, 9, 4))
        >>> [one.shape for one in topi.vision.multibox_transform_loc(prob, moves, anchor)]
        [(2, 9, 6), (2,)]
    """

def non_max_suppression(data: Any, valid_count: Any, indices: Any, max_output_size: Any = ..., iou_threshold: Any = ..., force_suppress: Any = ..., top_k: Any = ..., coord_start: Any = ..., score_index: Any = ..., id_index: Any = ..., return_indices: Any = ..., invalid_to_bottom: Any = ...) -> Any:
    """Of boxes that overlap, the one with the highest score: in the order of scores, a box stays if its intersection over union with each box that stays is below the threshold. Returns (the entries of `indices` of the boxes that stay, in the order of their scores, then -1 [batch, boxes]; how many they are [batch, 1]), or the boxes themselves, with rows of -1 for those that were dropped. As in Relay, boxes without a class (below 0) are none, and overlaps equal to the threshold drop a box.

    Args:
        data: a tensor. Boxes [batch, boxes, columns].
        valid_count: a tensor. How many boxes count; those in front [batch].
        indices: a tensor. The numbers that are returned for the boxes [batch, boxes].
        max_output_size: an int. No more boxes stay; 0 or less: any number.
        iou_threshold: a number. The overlap that drops a box; 0 or less: nothing is dropped.
        force_suppress: a bool. Do boxes drop those of other classes?.
        top_k: an int. Only as many of the best boxes count; 0 or less: all.
        coord_start: an int. The first of the columns x1, y1, x2, y2.
        score_index: an int. The column of the score.
        id_index: an int. The column of the class; negative: none.
        return_indices: a bool. Are the boxes' numbers the result?.
        invalid_to_bottom: a bool. Are the boxes that stay in front?.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.vision.non_max_suppression(data=te.placeholder((4, 9, 6)), valid_count=te.placeholder((4,), "int32"), indices=te.placeholder((4, 9), "int32"), iou_threshold=0.1, force_suppress=True)
    """

def proposal(cls_prob: Any, bbox_pred: Any, im_info: Any, scales: Any, ratios: Any, feature_stride: Any, threshold: Any, rpn_pre_nms_top_n: Any, rpn_post_nms_top_n: Any, rpn_min_size: Any, iou_loss: Any) -> Any:
    """The regions of images in which a network expects objects: `relay.vision.proposal`.

    Args:
        cls_prob: a tensor (batch, 2 anchors, height, width).
        bbox_pred: a tensor (batch, 4 anchors, height, width).
        im_info: a tensor (batch, 3): each image's height, width and scale.
        scales, ratios, feature_stride, threshold, rpn_pre_nms_top_n, rpn_post_nms_top_n, rpn_min_size, iou_loss: as of
            `relay.vision.proposal`.

    Returns:
        A tensor (batch rpn_post_nms_top_n, 5).

    Example:
        >>> from lathe import te, topi
        >>> prob, moves, sizes = te.placeholder((1, 6, 4, 5)), te.placeholder((1, 12, 4, 5)), te.placeholder((1, 3))
        >>> topi.vision.proposal(prob, moves, sizes, (1.0,), (0.5, 1.0, 2.0), 16, 0.7, 40, 10, 16, False).shape
        (10, 5)
    """

def reorg(data: Any, stride: Any) -> Any:
    """Darknet's exchange of space and channels: `relay.vision.yolo_reorg`.

    Args:
        data: a tensor (batch, channels, height, width).
        stride: how far apart elements are.

    Returns:
        A tensor (batch, channels stride^2, height / stride, width / stride).

    Example:
        >>> from lathe import te, topi
        >>> topi.vision.reorg(te.placeholder((1, 4, 6, 8)), 2).shape
        (1, 16, 3, 4)
    """

def roi_align_nchw(data: Any, rois: Any, pooled_size: Any, spatial_scale: Any, mode: Any = ..., sample_ratio: Any = ...) -> Any:
    """Regions of images, each as a grid of cells; a cell is the mean or the greatest of samples at real places [He et al., 2017, Mask R-CNN].

    Args:
        data: a tensor. Images, in `layout`.
        rois: a tensor. (image, x1, y1, x2, y2) of each region [k, 5].
        pooled_size: a tuple of extents: ints, or expressions over sizes. Height and width of the results.
        spatial_scale: a number. Elements of `data` per unit of the regions.
        mode: a str. The mean or the greatest of the samples, or the greatest of the elements around them times their weights [ONNX's max].
        sample_ratio: an int. Samples of a cell in each dimension; 0 or less: the cell's extent, rounded up.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.vision.roi_align_nchw(data=te.placeholder((7, 3, 6, 7)), rois=te.placeholder((4, 5)), pooled_size=(2, 3), spatial_scale=0.9, sample_ratio=2)
    """

def roi_align_nhwc(data: Any, rois: Any, pooled_size: Any, spatial_scale: Any, mode: Any = ..., sample_ratio: Any = ...) -> Any:
    """`roi_align_nchw` of images whose channels come last.

    Args:
        data: a tensor (batch, height, width, channels).
        rois: a tensor (regions, 5): the image's number, left, top, right, bottom.
        pooled_size, spatial_scale, mode, sample_ratio: as of `roi_align_nchw`.

    Returns:
        A tensor (regions, out height, out width, channels).

    Example:
        >>> from lathe import te, topi
        >>> topi.vision.roi_align_nhwc(te.placeholder((1, 16, 16, 3)), te.placeholder((4, 5)), (7, 7), 1.0).shape
        (4, 7, 7, 3)
    """

def roi_pool_nchw(data: Any, rois: Any, pooled_size: Any, spatial_scale: Any) -> Any:
    """Regions of images, each as a grid of cells; a cell is the greatest of its elements, 0 if it has none. Corners are rounded to elements, and cell i of m begins at floor(i size / m) and ends at ceil((i + 1) size / m) [Girshick, 2015, Fast R-CNN].

    Args:
        data: a tensor. Images, in `layout`.
        rois: a tensor. (image, x1, y1, x2, y2) of each region [k, 5].
        pooled_size: a tuple of extents: ints, or expressions over sizes. Height and width of the results.
        spatial_scale: a number. Elements of `data` per unit of the regions.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.vision.roi_pool_nchw(data=te.placeholder((1, 3, 6, 7)), rois=te.placeholder((4, 5)), pooled_size=(2, 3), spatial_scale=7.0)
    """
