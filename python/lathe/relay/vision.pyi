"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.relay.expr as _relay
from lathe.relay._composed_vision import multibox_prior as multibox_prior
from lathe.relay._composed_vision import multibox_transform_loc as multibox_transform_loc
from lathe.relay._composed_proposal import proposal as proposal
from lathe.relay._composed_vision import yolo_reorg as yolo_reorg

def all_class_non_max_suppression(boxes: Any, scores: Any, max_output_boxes_per_class: Any = ..., iou_threshold: Any = ..., score_threshold: Any = ..., overlap: Any = ..., center_point_box: Any = ...) -> _relay.Expr:
    """For each image and each class, in the order of scores, the boxes whose intersection over union with every box that stays is at most the threshold (ONNX's NonMaxSuppression): (image, class, box) of each [their number, 3].

    Args:
        boxes: an expression. Two corners (y1, x1, y2, x2) of each box, in any order [images, boxes, 4] (a floating type).
        scores: an expression. [images, classes, boxes] (a floating type).
        overlap: an expression, or None. Takes the place of `iou_threshold` [] (a floating type).
        max_output_boxes_per_class: an int. No more boxes stay; negative: any number.
        iou_threshold: a number. A larger overlap drops a box.
        score_threshold: a number. Scores must be greater.
        center_point_box: a bool. Are boxes (x, y, width, height), from the middle?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.vision.all_class_non_max_suppression(boxes=relay.var("boxes", shape=(4, 6, 4)), scores=relay.var("scores", shape=(4, 2, 6)), iou_threshold=0.2)
    """

def box_iou(boxes1: Any, boxes2: Any) -> _relay.Expr:
    """For each pair of boxes the area of the intersection over that of the union [torchvision's box_iou]; two boxes without area have 0.

    Args:
        boxes1: an expression. (x1, y1, x2, y2) of each box [n, 4] (a floating type).
        boxes2: an expression. The same [m, 4] (a floating type).

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.vision.box_iou(relay.var("boxes1", shape=(4, 4)), relay.var("boxes2", shape=(3, 4)))
    """

def get_valid_counts(data: Any, score_threshold: Any, id_index: Any = ..., score_index: Any = ...) -> _relay.TupleWrapper:
    """Boxes with a score above a threshold and a class, in front of all others: (their number [batch], the rows [batch, boxes, columns], their numbers in `data` [batch, boxes]). What follows is -1.

    Args:
        data: an expression. Boxes [batch, boxes, columns] (a floating type).
        score_threshold: a number. Scores must be greater.
        id_index: an int. The column of the class; negative: none.
        score_index: an int. The column of the score.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.vision.get_valid_counts(relay.var("data", shape=(4, 6, 6)), score_threshold=0.1)
    """

def non_max_suppression(data: Any, valid_count: Any, indices: Any, max_output_size: Any = ..., iou_threshold: Any = ..., force_suppress: Any = ..., top_k: Any = ..., coord_start: Any = ..., score_index: Any = ..., id_index: Any = ..., return_indices: Any = ..., invalid_to_bottom: Any = ...) -> _relay.Expr:
    """Of boxes that overlap, the one with the highest score: in the order of scores, a box stays if its intersection over union with each box that stays is below the threshold. Returns (the entries of `indices` of the boxes that stay, in the order of their scores, then -1 [batch, boxes]; how many they are [batch, 1]), or the boxes themselves, with rows of -1 for those that were dropped. As in Relay, boxes without a class (below 0) are none, and overlaps equal to the threshold drop a box.

    Args:
        data: an expression. Boxes [batch, boxes, columns] (a floating type).
        valid_count: an expression. How many boxes count; those in front [batch] (int32 or int64).
        indices: an expression. The numbers that are returned for the boxes [batch, boxes] (int32 or int64).
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
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.vision.non_max_suppression(relay.var("data", shape=(4, 9, 6)), relay.var("valid_count", shape=(4,), dtype="int32"), relay.var("indices", shape=(4, 9), dtype="int32"), force_suppress=True, iou_threshold=0.1)
    """

def roi_align(data: Any, rois: Any, pooled_size: Any, spatial_scale: Any, sample_ratio: Any = ..., layout: Any = ..., mode: Any = ..., aligned: Any = ...) -> _relay.Expr:
    """Regions of images, each as a grid of cells; a cell is the mean or the greatest of samples at real places [He et al., 2017, Mask R-CNN].

    Args:
        data: an expression. Images, in `layout` (a floating type).
        rois: an expression. (image, x1, y1, x2, y2) of each region [k, 5] (a floating type).
        pooled_size: a tuple of extents: ints, or expressions over sizes. Height and width of the results.
        spatial_scale: a number. Elements of `data` per unit of the regions.
        sample_ratio: an int. Samples of a cell in each dimension; 0 or less: the cell's extent, rounded up.
        layout: a str. The dimensions of `data`. One of "NCHW", "NHWC".
        mode: a str. The mean or the greatest of the samples, or the greatest of the elements around them times their weights [ONNX's max]. One of "avg", "max", "max_corner".
        aligned: a bool. Are places moved by half an element, and regions smaller than 1 kept [ONNX's half_pixel]?.

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.vision.roi_align(relay.var("data", shape=(7, 3, 6, 7)), relay.var("rois", shape=(4, 5)), pooled_size=(2, 3), sample_ratio=2, spatial_scale=0.9)
    """

def roi_pool(data: Any, rois: Any, pooled_size: Any, spatial_scale: Any, layout: Any = ...) -> _relay.Expr:
    """Regions of images, each as a grid of cells; a cell is the greatest of its elements, 0 if it has none. Corners are rounded to elements, and cell i of m begins at floor(i size / m) and ends at ceil((i + 1) size / m) [Girshick, 2015, Fast R-CNN].

    Args:
        data: an expression. Images, in `layout` (a floating type).
        rois: an expression. (image, x1, y1, x2, y2) of each region [k, 5] (a floating type).
        pooled_size: a tuple of extents: ints, or expressions over sizes. Height and width of the results.
        spatial_scale: a number. Elements of `data` per unit of the regions.
        layout: a str. The dimensions of `data`. One of "NCHW", "NHWC".

    Returns:
        An expression.

    Raises:
        LatheError: `graph-attribute` for a wrong attribute; `graph-argument` for operands that
            do not fit, when the expression becomes part of a module.

    Example:
        >>> from lathe import relay
        >>> y = relay.vision.roi_pool(relay.var("data", shape=(1, 3, 6, 7)), relay.var("rois", shape=(4, 5)), pooled_size=(2, 3), spatial_scale=7.0)
    """
