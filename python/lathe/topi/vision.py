"""Operators of object detection."""

from . import _derive

_derive.install(globals(), {
    "roi_align_nchw(data, rois, pooled_size, spatial_scale, mode='avg', sample_ratio=-1)":
        "vision.roi_align",
    "roi_pool_nchw(data, rois, pooled_size, spatial_scale)": "vision.roi_pool",
    "get_valid_counts(data, score_threshold, id_index=0, score_index=1)": "vision.get_valid_counts",
    "non_max_suppression(data, valid_count, indices, max_output_size=-1, iou_threshold=0.5, "
    "force_suppress=False, top_k=-1, coord_start=2, score_index=1, id_index=0, "
    "return_indices=True, invalid_to_bottom=False)": "vision.non_max_suppression",
})
