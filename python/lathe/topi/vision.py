"""Operators of object detection."""

from .. import relay
from ..relay._composed_proposal import anchors
from . import _derive
from ._from_relay import of_tensors, that_reads

_derive.install(globals(), {
    "roi_align_nchw(data, rois, pooled_size, spatial_scale, mode='avg', sample_ratio=-1)":
        "vision.roi_align",
    "roi_pool_nchw(data, rois, pooled_size, spatial_scale)": "vision.roi_pool",
    "get_valid_counts(data, score_threshold, id_index=0, score_index=1)": "vision.get_valid_counts",
    "non_max_suppression(data, valid_count, indices, max_output_size=-1, iou_threshold=0.5, "
    "force_suppress=False, top_k=-1, coord_start=2, score_index=1, id_index=0, "
    "return_indices=True, invalid_to_bottom=False)": "vision.non_max_suppression",
    "all_class_non_max_suppression(boxes, scores, max_output_boxes_per_class, iou_threshold, score_threshold)":
        "vision.all_class_non_max_suppression",
})


def roi_align_nhwc(data, rois, pooled_size, spatial_scale, mode="avg", sample_ratio=-1):
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
    data = _derive.apply("transpose", [data], axes=(0, 3, 1, 2))
    pooled_size = (pooled_size, pooled_size) if isinstance(pooled_size, int) else pooled_size
    made = _derive.apply("vision.roi_align", [data, rois], pooled_size=pooled_size, spatial_scale=spatial_scale,
                         mode=mode, sample_ratio=sample_ratio)
    return _derive.apply("transpose", [made], axes=(0, 2, 3, 1))


def reorg(data, stride):
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
    return of_tensors(lambda x: relay.vision.yolo_reorg(x, stride), data)


def multibox_prior(data, sizes=(1,), ratios=(1,), steps=(-1, -1), offsets=(0.5, 0.5), clip=False):
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
    return that_reads(of_tensors(lambda x: relay.vision.multibox_prior(x, sizes, ratios, steps, offsets, clip), data),
                      data)


def multibox_transform_loc(cls_prob, loc_pred, anchor, clip=True, threshold=0.01, variances=(0.1, 0.1, 0.2, 0.2)):
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
    return of_tensors(lambda *x: relay.vision.multibox_transform_loc(*x, clip, threshold, variances), cls_prob,
                      loc_pred, anchor)


def multibox_detection(cls_prob, loc_pred, anchor, clip=True, threshold=0.01, nms_threshold=0.5, force_suppress=False,
                       variances=(0.1, 0.1, 0.2, 0.2), nms_topk=-1):
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
    def detected(prob, moves, anchors):
        boxes, count = relay.vision.multibox_transform_loc(prob, moves, anchors, clip, threshold, variances)
        batch, places = boxes.checked_type.concrete_shape[:2]
        return relay.vision.non_max_suppression(
            boxes, count, relay.zeros((batch, places), "int32"), iou_threshold=nms_threshold, top_k=nms_topk,
            force_suppress=force_suppress, score_index=1, id_index=0, return_indices=False)

    return of_tensors(detected, cls_prob, loc_pred, anchor)


def generate_anchor(ratio, scale, base_size):
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
    return tuple(anchors([scale], [ratio], base_size)[0].tolist())


def proposal(cls_prob, bbox_pred, im_info, scales, ratios, feature_stride, threshold, rpn_pre_nms_top_n,
             rpn_post_nms_top_n, rpn_min_size, iou_loss):
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
    return of_tensors(lambda *x: relay.vision.proposal(*x, scales, ratios, feature_stride, threshold, rpn_pre_nms_top_n,
                                                       rpn_post_nms_top_n, rpn_min_size, iou_loss), cls_prob, bbox_pred,
                      im_info)
