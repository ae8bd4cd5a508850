"""Regions of images, and boxes that overlap."""

import itertools

import numpy as np

from comparison import Table, random
from windows import reordered

table = Table()


def area(box):
    return max(box[2] - box[0], 0) * max(box[3] - box[1], 0)


def overlap(a, b):
    """The intersection over the union."""
    common = area([max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])])
    union = area(a) + area(b) - common
    return common / union if union > 0 else 0.0


def corners(*shape, seed=0):
    """Boxes (x1, y1, x2, y2)."""
    first = random(*shape, 2, low=0, high=5, seed=seed)
    return np.concatenate([first, first + random(*shape, 2, low=0.5, high=4, seed=seed + 1)], -1)


def box_iou(a, b):
    return np.array([[overlap(x, y) for y in b] for x in a])


table.add("vision.box_iou", box_iou, [corners(6), corners(4, seed=3)])
table.add("vision.box_iou", box_iou, [np.array([[1, 1, 1, 1], [0, 0, 2, 2]], "float32"),
                                      np.array([[1, 1, 1, 1], [1, 1, 3, 3]], "float32")])


def get_valid_counts(data, score_threshold, id_index=0, score_index=1):
    counts, rows = [], np.full_like(data, -1)
    places = np.full(data.shape[:2], -1, "int32")
    for b, boxes in enumerate(data):
        valid = [i for i, row in enumerate(boxes) if row[score_index] > score_threshold
                 and (id_index < 0 or row[id_index] >= 0)]
        rows[b, :len(valid)], places[b, :len(valid)] = boxes[valid], valid
        counts.append(len(valid))
    return [np.array(counts, "int32"), rows, places]


def detections(batch, boxes, classes=2, seed=0):
    """Rows (class, score, x1, y1, x2, y2); some classes are -1."""
    kinds = random(batch, boxes, 1, low=-1, high=classes, seed=seed, dtype="int32")
    scores = random(batch, boxes, 1, low=0, high=1, seed=seed)
    return np.concatenate([kinds.astype("float32"), scores, corners(batch, boxes, seed=seed)], -1)


DATA = detections(3, 9)
table.add("vision.get_valid_counts", get_valid_counts, [DATA], score_threshold=0.3)
table.add("vision.get_valid_counts", get_valid_counts, [DATA], score_threshold=0.3, id_index=-1)
table.add("vision.get_valid_counts", get_valid_counts, [DATA], score_threshold=1.5, id_index=-1,
          score_index=4)


def suppressed(boxes, count, max_output_size, iou_threshold, force_suppress, top_k, coord_start,
               score_index, id_index):
    """The order of scores, and those that stay."""
    order = sorted(range(count), key=lambda i: -boxes[i, score_index])
    kept = []
    for i in order[:top_k] if top_k > 0 else order:
        if id_index >= 0 and boxes[i, id_index] < 0 or 0 < max_output_size <= len(kept):
            continue
        rivals = [j for j in kept if force_suppress or id_index < 0
                  or boxes[i, id_index] == boxes[j, id_index]]
        place = slice(coord_start, coord_start + 4)
        if iou_threshold <= 0 or all(overlap(boxes[i, place], boxes[j, place]) < iou_threshold
                                     for j in rivals):
            kept.append(i)
    return order, kept


def non_max_suppression(data, valid_count, indices, max_output_size=-1, iou_threshold=0.5,
                        force_suppress=False, top_k=-1, coord_start=2, score_index=1, id_index=0,
                        return_indices=True, invalid_to_bottom=False):
    names = np.full(indices.shape, -1, indices.dtype)
    counts, rows = np.zeros((len(data), 1), "int32"), np.full_like(data, -1)
    for b, boxes in enumerate(data):
        order, kept = suppressed(boxes, int(valid_count[b]), max_output_size, iou_threshold,
                                 force_suppress, top_k, coord_start, score_index, id_index)
        names[b, :len(kept)], counts[b] = indices[b, kept], len(kept)
        if invalid_to_bottom:
            rows[b, :len(kept)] = boxes[kept]
        else:
            for place, i in enumerate(order):
                if i in kept:
                    rows[b, place] = boxes[i]
    return [names, counts] if return_indices else rows


NAMES = np.stack([np.arange(9) * 10 + b for b in range(3)]).astype("int32")
COUNTS = np.array([9, 5, 0], "int32")
for attrs in ({}, {"iou_threshold": 0.1}, {"iou_threshold": 0.1, "force_suppress": True},
              {"iou_threshold": 0.2, "id_index": -1}, {"top_k": 4}, {"max_output_size": 2},
              {"iou_threshold": 0.0}, {"iou_threshold": 0.1, "top_k": 6, "max_output_size": 3}):
    args = [DATA, COUNTS, NAMES]
    table.add("vision.non_max_suppression", non_max_suppression, args, **attrs)
    for bottom in (False, True):
        table.add("vision.non_max_suppression", non_max_suppression, args, return_indices=False,
                  invalid_to_bottom=bottom, **attrs)
LAST = np.concatenate([DATA[..., 2:], DATA[..., 1:2]], -1)
table.add("vision.non_max_suppression", non_max_suppression,
          [LAST, COUNTS.astype("int64"), NAMES.astype("int64")], coord_start=0, score_index=4,
          id_index=-1, iou_threshold=0.3)



def all_class_non_max_suppression(boxes, scores, overlap_limit=None, max_output_boxes_per_class=-1,
                                  iou_threshold=0.0, score_threshold=-1.0, center_point_box=False):
    """ONNX's NonMaxSuppression."""
    if overlap_limit is not None:
        iou_threshold = float(overlap_limit)
    if center_point_box:
        middle, half = boxes[..., :2], boxes[..., 2:] / 2
        boxes = np.concatenate([middle - half, middle + half], -1)
    boxes = np.concatenate([np.minimum(boxes[..., :2], boxes[..., 2:]),
                            np.maximum(boxes[..., :2], boxes[..., 2:])], -1)
    rows = []
    for b, kind in itertools.product(range(len(scores)), range(scores.shape[1])):
        kept = []
        for box in sorted(range(scores.shape[2]), key=lambda k: -scores[b, kind, k]):
            if scores[b, kind, box] <= score_threshold or len(kept) == max_output_boxes_per_class:
                continue
            if all(overlap(boxes[b, box], boxes[b, other]) <= iou_threshold for other in kept):
                kept.append(box)
        rows += [[b, kind, box] for box in kept]
    return np.array(rows, "int64").reshape(-1, 3)


CORNERS = corners(2, 9)
SCORES = random(2, 3, 9, low=0, high=1)
for attrs in ({}, {"iou_threshold": 0.3}, {"iou_threshold": 0.5, "score_threshold": 0.4},
              {"iou_threshold": 0.5, "max_output_boxes_per_class": 2},
              {"max_output_boxes_per_class": 0}, {"score_threshold": 2.0},
              {"iou_threshold": 0.2, "center_point_box": True}):
    table.add("vision.all_class_non_max_suppression", all_class_non_max_suppression,
              [CORNERS, SCORES], **attrs)
# A limit that only the run knows.
for limit in (0.2, 0.6):
    table.add("vision.all_class_non_max_suppression", all_class_non_max_suppression,
              [CORNERS, SCORES, np.array(limit, "float32")])
# Corners in another order.
table.add("vision.all_class_non_max_suppression", all_class_non_max_suppression,
          [CORNERS[..., [2, 1, 0, 3]], SCORES], iou_threshold=0.3)

# -- Regions.


def sample(image, y, x, combine):
    """Between elements; up to one element outside of the image has the border's value."""
    h, w = image.shape[1:]
    if y < -1 or y > h or x < -1 or x > w:
        return np.zeros(len(image))
    y, x = min(max(y, 0), h - 1), min(max(x, 0), w - 1)
    i, j = min(int(y), max(h - 2, 0)), min(int(x), max(w - 2, 0))
    k, l = min(i + 1, h - 1), min(j + 1, w - 1)
    return combine([(1 - (y - i)) * (1 - (x - j)) * image[:, i, j], (1 - (y - i)) * (x - j) * image[:, i, l],
                    (y - i) * (1 - (x - j)) * image[:, k, j], (y - i) * (x - j) * image[:, k, l]], axis=0)


def roi_align(data, rois, pooled_size, spatial_scale, sample_ratio=-1, layout="NCHW", mode="avg",
              aligned=False):
    data, results = reordered(data, layout, "NCHW"), []
    for image, x1, y1, x2, y2 in rois:
        start = [v * spatial_scale - (0.5 if aligned else 0) for v in (y1, x1)]
        end = [v * spatial_scale - (0.5 if aligned else 0) for v in (y2, x2)]
        size = [e - s if aligned else max(e - s, 1) for s, e in zip(start, end)]
        cell = [s / m for s, m in zip(size, pooled_size)]
        taps = [sample_ratio if sample_ratio > 0 else int(np.ceil(c)) for c in cell]
        y = np.zeros((data.shape[1], *pooled_size))
        for at in itertools.product(*map(range, pooled_size)):
            values = [sample(data[int(image)], *(s + c * (p + (k + 0.5) / t) for s, c, p, k, t in
                                                 zip(start, cell, at, tap, taps)),
                             np.max if mode == "max_corner" else np.sum)
                      for tap in itertools.product(*map(range, taps))]
            if values:
                y[(slice(None),) + at] = (np.mean if mode == "avg" else np.max)(values, axis=0)
        results.append(y)
    return reordered(np.stack(results), "NCHW", layout)


def roi_pool(data, rois, pooled_size, spatial_scale, layout="NCHW"):
    data, results = reordered(data, layout, "NCHW"), []
    for image, *box in rois:
        x1, y1, x2, y2 = (int(np.floor(abs(v * spatial_scale) + 0.5) * np.sign(v)) for v in box)
        y = np.zeros((data.shape[1], *pooled_size))
        for at in itertools.product(*map(range, pooled_size)):
            part = []
            for p, m, low, high, e in zip(at, pooled_size, (y1, x1), (y2, x2), data.shape[2:]):
                size = max(high - low + 1, 1)
                first, last = low + p * size // m, low - (-(p + 1) * size // m)
                part.append(slice(min(max(first, 0), e), min(max(last, 0), e)))
            cell = data[(int(image), slice(None)) + tuple(part)]
            y[(slice(None),) + at] = cell.max(axis=(1, 2)) if cell.size else 0
        results.append(y)
    return reordered(np.stack(results), "NCHW", layout)


IMAGES = random(2, 3, 7, 6)
ROIS = np.array([[0, 0.3, 0.4, 3.7, 4.1], [1, 1.2, 0.1, 5.3, 6.6], [0, 2, 2, 2.3, 2.4],
                 [1, -2.1, 3.3, 9.2, 11.7]], "float32")
for aligned, mode, ratio in itertools.product((False, True), ("avg", "max", "max_corner"), (2, 3, -1)):
    table.add("vision.roi_align", roi_align, [IMAGES, ROIS], pooled_size=(2, 3), spatial_scale=0.9,
              sample_ratio=ratio, mode=mode, aligned=aligned, rtol=1e-4)
table.add("vision.roi_align", roi_align, [reordered(IMAGES, "NCHW", "NHWC"), ROIS],
          pooled_size=(2, 2), spatial_scale=0.5, layout="NHWC", rtol=1e-4)
for scale in (0.9, 0.5):
    table.add("vision.roi_pool", roi_pool, [IMAGES, ROIS], pooled_size=(2, 3), spatial_scale=scale)
table.add("vision.roi_pool", roi_pool, [reordered(IMAGES, "NCHW", "NHWC"), ROIS],
          pooled_size=(4, 4), spatial_scale=0.7, layout="NHWC")

test_numpy, test_torch = table.tests()
