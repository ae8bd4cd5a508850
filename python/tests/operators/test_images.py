"""Images of other sizes, at other places, and in other colours; boxes."""

import colorsys
import itertools

import numpy as np

from comparison import Table, bfloat16, integers, random
from comparison import torch as T
from windows import reordered

table = Table()
F = T.nn.functional if T else None

# -- Resizing, one dimension after the other.


def place_of(i, n, m, mode, start=0.0, end=1.0):
    """Where element i of m comes from in n elements [ONNX's Resize]."""
    if mode == "half_pixel":
        return (i + 0.5) * n / m - 0.5
    if mode == "pytorch_half_pixel":
        return (i + 0.5) * n / m - 0.5 if m > 1 else 0.0
    if mode == "align_corners":
        return i * (n - 1) / (m - 1) if m > 1 else 0.0
    if mode == "asymmetric":
        return i * n / m
    if mode == "tf_half_pixel_for_nn":
        return (i + 0.5) * n / m
    if m > 1:
        return start * (n - 1) + i * (end - start) * (n - 1) / (m - 1)
    return 0.5 * (start + end) * (n - 1)


def nearest_of(x, method):
    return int({"round": np.floor(x + 0.5), "floor": np.floor(x), "ceil": np.ceil(x),
                "round_prefer_floor": np.ceil(x - 0.5),
                "round_prefer_ceil": np.floor(x + 0.5)}[method])


def cubic_weights(t, a):
    """Of the elements at distances 1 + t, t, 1 - t, 2 - t [Keys, 1981]."""
    def near(d):
        return (a + 2) * d**3 - (a + 3) * d**2 + 1

    def far(d):
        return a * (d**3 - 5 * d**2 + 8 * d - 4)

    return [far(1 + t), near(t), near(1 - t), far(2 - t)]


def matrix_of(n, m, method, mode, rounding, alpha, exclude, start, end):
    """[m, n] of the weights, and which elements of m are outside."""
    matrix, outside = np.zeros((m, n)), np.zeros(m, bool)
    for i in range(m):
        x = place_of(i, n, m, mode, start, end)
        outside[i] = mode == "tf_crop_and_resize" and not 0 <= x <= n - 1
        if method == "nearest_neighbor":
            taps = {nearest_of(x, rounding): 1.0}
        elif method == "linear":
            low = int(np.floor(x))
            taps = {low: 1 - (x - low), low + 1: x - low}
        else:
            low = int(np.floor(x))
            taps = dict(zip(range(low - 1, low + 3), cubic_weights(x - low, alpha)))
            if exclude:
                taps = {k: w for k, w in taps.items() if 0 <= k < n}
                taps = {k: w / sum(taps.values()) for k, w in taps.items()}
        for k, weight in taps.items():
            matrix[i, min(max(k, 0), n - 1)] += weight
    return matrix, outside


def resize(n):
    def call(x, roi=None, size=None, layout=None, method="linear",
             coordinate_transformation_mode="half_pixel", rounding_method="", cubic_alpha=-0.5,
             cubic_exclude=0, extrapolation_value=0.0, out_dtype=""):
        plain = "NC" + "DHW"[3 - n:]
        mode, kind = coordinate_transformation_mode, x.dtype
        rounding = rounding_method or ("round" if mode == "align_corners" else "floor")
        y, away = reordered(x, layout or plain, plain).astype("float64"), np.zeros(size, bool)
        size = list(size) if isinstance(size, (list, tuple)) else [size] * n
        for d, m in enumerate(size):
            ends = (0.0, 1.0) if roi is None else (roi[d], roi[d + n])
            matrix, outside = matrix_of(y.shape[d + 2], m, method, mode, rounding, cubic_alpha,
                                        cubic_exclude, *ends)
            y = np.moveaxis(np.tensordot(matrix, y, (1, d + 2)), 0, d + 2)
            away = away | outside.reshape([-1 if k == d else 1 for k in range(n)])
        y = np.where(away, extrapolation_value, y)
        y = reordered(y, plain, layout or plain)
        target = np.dtype(out_dtype or kind)
        return np.rint(y).astype(target) if target.kind in "iu" else y
    return call


def torch_resize(x, size, method="linear", coordinate_transformation_mode=None, cubic_alpha=None,
                 **_):
    name = {"linear": {3: "linear", 4: "bilinear", 5: "trilinear"}[x.ndim],
            "nearest_neighbor": "nearest", "cubic": "bicubic"}[method]
    corners = None if name == "nearest" else coordinate_transformation_mode == "align_corners"
    return F.interpolate(x, size, mode=name, align_corners=corners)


MODES = ("half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel", "tf_half_pixel_for_nn")
SHAPES = {1: ((2, 3, 7), [(5,), (10,), (1,), (7,)]), 2: ((1, 2, 7, 5), [(5, 9), (14, 3), (1, 1)]),
          3: ((1, 2, 4, 5, 3), [(5, 3, 6)])}
for n, (shape, sizes) in SHAPES.items():
    name, x = f"image.resize{n}d", random(*shape)
    for size, mode in itertools.product(sizes, MODES):
        attrs = {"size": size, "coordinate_transformation_mode": mode}
        as_torch = torch_resize if mode in ("half_pixel", "align_corners") else None
        table.add(name, resize(n), [x], torch=as_torch, **attrs)
        table.add(name, resize(n), [x], method="nearest_neighbor", **attrs,
                  torch=torch_resize if mode == "asymmetric" else None)
        if n < 3:
            table.add(name, resize(n), [x], method="cubic", rtol=1e-4, **attrs)
            table.add(name, resize(n), [x], method="cubic", cubic_alpha=-0.75, cubic_exclude=1,
                      rtol=1e-4, **attrs)
    table.add(name, resize(n), [reordered(x, "NC" + "DHW"[3 - n:], "N" + "DHW"[3 - n:] + "C")],
              size=sizes[0], layout="N" + "DHW"[3 - n:] + "C")
    # From a half of the image to beyond its end.
    roi = np.array([0.26, 0.13, -0.11][:n] + [0.77, 1.31, 0.93][:n], "float32")
    for method in ("linear", "nearest_neighbor", "cubic"):
        table.add(name, resize(n), [x, roi], size=sizes[0], method=method, rtol=1e-4,
                  coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value=7.5)
for rounding, mode in itertools.product(("round", "floor", "ceil", "round_prefer_floor",
                                         "round_prefer_ceil"), ("half_pixel", "asymmetric")):
    for size in (3, 4, 8, 12):
        table.add("image.resize1d", resize(1), [random(1, 1, 6)], size=size, rounding_method=rounding,
                  method="nearest_neighbor", coordinate_transformation_mode=mode)
table.add("image.resize2d", resize(2), [random(1, 2, 5, 4)], size=(9, 7), method="cubic",
          cubic_alpha=-0.75, torch=torch_resize, rtol=1e-4)
table.add("image.resize2d", resize(2), [random(1, 2, 5, 4)], size=(3, 8))
for dtype in ("float16", bfloat16, "float64", "uint8", "int8", "int32"):
    x = random(1, 2, 5, 4, dtype=dtype, low=0, high=100)
    for method in ("linear", "nearest_neighbor"):
        # Weights of quarters are exact, and so are halves that are rounded.
        table.add("image.resize2d", resize(2), [x], size=(10, 8), method=method)
table.add("image.resize2d", resize(2), [integers(1, 2, 5, 4, dtype="uint8", low=0)], size=(3, 3),
          out_dtype="float32", result="float32")


def upsampling(x, scale_h=1.0, scale_w=1.0, layout="NCHW", method="nearest_neighbor",
               align_corners=False):
    h, w = x.shape[layout.index("H")], x.shape[layout.index("W")]
    size = [int(np.floor(e * s + 0.5)) for e, s in ((h, scale_h), (w, scale_w))]
    return resize(2)(x, size=size, layout=layout, method={"bilinear": "linear", "bicubic": "cubic"}
                     .get(method, method),
                     coordinate_transformation_mode="align_corners" if align_corners
                     else "asymmetric")


for method, corners in itertools.product(("nearest_neighbor", "bilinear", "bicubic"),
                                         (False, True)):
    table.add("nn.upsampling", upsampling, [random(1, 2, 4, 5)], scale_h=2.0, scale_w=1.6,
              method=method, align_corners=corners, rtol=1e-4)
table.add("nn.upsampling", upsampling, [random(1, 4, 5, 2)], scale_h=1.5, scale_w=3.0,
          layout="NHWC", method="bilinear")


def crop_and_resize(x, boxes, box_indices, crop_size, layout="NCHW", method="bilinear",
                    extrapolation_value=0.0, out_dtype=""):
    x = reordered(x, layout, "NCHW")
    parts = []
    for (y1, x1, y2, x2), b in zip(boxes, box_indices):
        roi = (y1, x1, y2, x2)
        parts.append(resize(2)(
            x[b:b + 1].astype("float64"), roi, crop_size,
            method={"bilinear": "linear"}.get(method, method), rounding_method="round",
            coordinate_transformation_mode="tf_crop_and_resize",
            extrapolation_value=extrapolation_value))
    return reordered(np.concatenate(parts), "NCHW", layout)


BOXES = np.array([[0.11, 0.23, 0.82, 0.87], [0, 0, 1, 1], [0.87, 0.71, 0.13, 0.32],
                  [-0.3, 0.51, 0.52, 1.4]],
                 "float32")
WHICH = np.array([0, 1, 1, 0], "int32")
for method, size in itertools.product(("bilinear", "nearest_neighbor"), ((3, 4), (1, 5), (7, 1))):
    table.add("image.crop_and_resize", crop_and_resize, [random(2, 3, 5, 6), BOXES, WHICH],
              crop_size=size, method=method, extrapolation_value=3.0, rtol=1e-4)
table.add("image.crop_and_resize", crop_and_resize, [random(2, 5, 6, 3), BOXES, WHICH],
          crop_size=(3, 4), layout="NHWC", rtol=1e-4)

# -- Elements at the places of a grid.


def at_place(x, place, mode):
    """x [c, space...] at whole places; `mode` of what is outside, after reflections."""
    inside = all(0 <= p < e for p, e in zip(place, x.shape[1:]))
    if mode == "zeros" and not inside:
        return np.zeros(x.shape[0])
    return x[(slice(None),) + tuple(min(max(p, 0), e - 1) for p, e in zip(place, x.shape[1:]))]


def mirrored(p, n, align):
    low, high = (0, n - 1) if align else (-0.5, n - 0.5)
    if high == low:
        return 0.0
    t = abs(p - low) % (2 * (high - low))
    return low + min(t, 2 * (high - low) - t)


def inwards(p, n, mode, align):
    if mode == "reflection":
        p = mirrored(p, n, align)
    return p if mode == "zeros" else min(max(p, 0), n - 1)


def grid_sample(x, grid, method="bilinear", layout="NCHW", padding_mode="zeros",
                align_corners=True):
    dims = x.ndim - 2
    y = np.zeros(x.shape[:2] + grid.shape[2:])
    for b in range(len(x)):
        for at in itertools.product(*map(range, grid.shape[2:])):
            # The grid has x before y.
            g = grid[(b, slice(None)) + at][::-1]
            where = [(v + 1) / 2 * (n - 1) if align_corners else ((v + 1) * n - 1) / 2
                     for v, n in zip(g, x.shape[2:])]
            if method != "bicubic":
                where = [inwards(p, n, padding_mode, align_corners)
                         for p, n in zip(where, x.shape[2:])]
            total = np.zeros(x.shape[1])
            if method == "nearest":
                total += at_place(x[b], [int(np.rint(p)) for p in where], padding_mode)
            elif method == "bilinear":
                for corner in itertools.product((0, 1), repeat=dims):
                    place = [int(np.floor(p)) + c for p, c in zip(where, corner)]
                    weight = np.prod([1 - abs(p - q) for p, q in zip(where, place)])
                    total += weight * at_place(x[b], place, padding_mode)
            else:
                low = [int(np.floor(p)) for p in where]
                weights = [cubic_weights(p - q, -0.75) for p, q in zip(where, low)]
                for i, j in itertools.product(range(4), range(4)):
                    place = [int(inwards(q + k - 1, n, padding_mode, align_corners))
                             for q, k, n in zip(low, (i, j), x.shape[2:])]
                    total += weights[0][i] * weights[1][j] * at_place(x[b], place, padding_mode)
            y[(b, slice(None)) + at] = total
    return y


def torch_grid_sample(x, grid, method="bilinear", layout="NCHW", padding_mode="zeros",
                      align_corners=True):
    return F.grid_sample(x, T.movedim(grid, 1, -1), method, padding_mode, align_corners)


GRID = random(1, 2, 3, 5, low=-1.6, high=1.6, seed=5)
for padding, corners in itertools.product(("zeros", "border", "reflection"), (True, False)):
    for method in ("bilinear", "nearest", "bicubic"):
        table.add("image.grid_sample", grid_sample, [random(1, 2, 5, 6), GRID], method=method,
                  padding_mode=padding, align_corners=corners, torch=torch_grid_sample, rtol=1e-4)
    for method in ("bilinear", "nearest"):
        table.add("image.grid_sample", grid_sample, [random(1, 2, 3, 4, 5), random(
            1, 3, 2, 2, 3, low=-1.5, high=1.5)], method=method, layout="NCDHW",
            padding_mode=padding, align_corners=corners, torch=torch_grid_sample, rtol=1e-4)
table.add("image.grid_sample", grid_sample, [random(1, 2, 5, 6), GRID])
# Far outside: mirrored several times.
for padding, corners in itertools.product(("border", "reflection"), (True, False)):
    table.add("image.grid_sample", grid_sample,
              [random(1, 2, 5, 6), random(1, 2, 4, 5, low=-9, high=9, seed=6)], method="bicubic",
              padding_mode=padding, align_corners=corners, torch=torch_grid_sample, rtol=1e-4)


def affine_grid(a, target_shape):
    ys, xs = (np.linspace(-1, 1, n) if n > 1 else np.zeros(1) for n in target_shape)
    points = np.stack(np.broadcast_arrays(xs[None, :], ys[:, None], 1.0))
    return np.einsum("nij,jhw->nihw", a, points)


for target in ((4, 5), (1, 3)):
    table.add("image.affine_grid", affine_grid, [random(3, 2, 3)], target_shape=target,
              torch=lambda a, target_shape: T.movedim(F.affine_grid(
                  a, [len(a), 1, *target_shape], align_corners=True), -1, 1))

# -- Colours, by TensorFlow's matrices.

YUV = np.array([[0.299, 0.587, 0.114], [-0.14714119, -0.28886916, 0.43601035],
                [0.61497538, -0.51496512, -0.10001026]])


def of_channels(function):
    def call(x, axis=-1):
        return np.moveaxis(function(np.moveaxis(x, axis, -1)), -1, axis)
    return call


COLOURS = {"rgb_to_yuv": lambda x: x @ YUV.T, "yuv_to_rgb": lambda x: x @ np.linalg.inv(YUV).T,
           "rgb_to_grayscale": lambda x: x @ np.array([[0.2989], [0.587], [0.114]]),
           "rgb_to_hsv": lambda x: np.array([colorsys.rgb_to_hsv(*p) for p in x.reshape(-1, 3)])
           .reshape(x.shape)}
for name, function in COLOURS.items():
    for x, axis in ((random(4, 5, 3, low=0, high=1), -1), (random(2, 3, 4, 5, low=0, high=1), 1)):
        table.add("image." + name, of_channels(function), [x], axis=axis)
    table.add("image." + name, of_channels(function), [random(9, 3, low=0, high=1)])
table.add("image.rgb_to_hsv", of_channels(COLOURS["rgb_to_hsv"]),
          [np.array([[0, 0, 0], [1, 1, 1], [0.5] * 3, [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0],
                     [1, 0, 0.5], [0.2, 0.2, 0.7]], "float32")])

test_numpy, test_torch = table.tests()
