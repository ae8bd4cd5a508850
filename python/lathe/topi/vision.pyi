"""Written by python/stubs/make_stubs.py."""

from typing import Any

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
