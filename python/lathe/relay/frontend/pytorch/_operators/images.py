"""Images of another size, and sampling."""

from .....error import LatheValueError
from .... import image as _image
from .... import op as _op
from .. import _values as _v
from .._registry import operator, operators

_LAYOUTS = {1: "NCW", 2: "NCHW", 3: "NCDHW"}
_KINDS = {"nearest": ("nearest_neighbor", "floor"), "linear": ("linear", ""),
          "bilinear": ("linear", ""), "trilinear": ("linear", ""), "bicubic": ("cubic", "")}


def _resize(kind, spatial):
    method, rounding = _KINDS[kind]

    def convert(a):
        x = _v.expr(a[0])
        extents = _v.shape_of(x)[2:]
        size, scales = a.output_size, _scales(a, spatial)
        if size is None:
            size = [_times(n, f) for n, f in zip(extents, scales)]
        corners = bool(a.align_corners)
        if scales is not None and not corners and not all(
                _times(n, f, exact=True) for n, f in zip(extents, scales)):
            return _by_taps(x, method, size, scales)
        mode = "asymmetric" if kind == "nearest" else "align_corners" if corners else "half_pixel"
        return getattr(_image, f"resize{spatial}d")(
            x, size=size, layout=_LAYOUTS[spatial], method=method, rounding_method=rounding,
            coordinate_transformation_mode=mode, cubic_alpha=-0.75)

    return convert


def _times(n, factor, exact=False):
    """floor(n factor); or, with `exact`, whether the product is whole. Sizes need whole factors."""
    if isinstance(n, int):
        return n * factor == int(n * factor) if exact else int(n * factor)
    if factor != int(factor):
        raise LatheValueError("a size that each run chooses is multiplied by a fraction",
                              "pytorch-value-needed", f"found: {n} times {factor}")
    return True if exact else n * int(factor)


def _by_taps(x, method, size, scales):
    """A factor that gives no whole extent: places come from the factor, not from the extents.

    One dimension after the other: the result is a sum of elements times weights.
    """
    import math

    for axis, (count, factor) in enumerate(zip(size, scales), 2):
        extent = _v.shape_of(x)[axis]
        taps = {}  # number of a tap -> [(place, weight)] of the result's elements
        for i in range(count):
            place = (i + 0.5) / factor - 0.5
            if method == "nearest_neighbor":
                found = [(math.floor(i / factor), 1.0)]
            elif method == "linear":
                place = max(place, 0.0)
                low = math.floor(place)
                found = [(low, 1 - (place - low)), (low + 1, place - low)]
            else:
                low = math.floor(place)
                found = [(low + k, _cubic(place - low - k)) for k in range(-1, 3)]
            for k, (at, weight) in enumerate(found):
                taps.setdefault(k, []).append((min(max(at, 0), extent - 1), weight))
        x = _sum_of_taps(x, axis, list(taps.values()))
    return x


def _sum_of_taps(x, axis, taps):
    torch, total = _v.torch(), None
    for tap in taps:
        part = _op.take(x, _v.expr(torch.tensor([at for at, _ in tap])), axis=axis)
        if len(taps) > 1:
            weight = torch.tensor([w for _, w in tap], dtype=getattr(torch, _v.dtype_of(x)))
            shape = [-1] + [1] * (_v.rank_of(x) - axis - 1)
            part = part * _v.expr(weight.reshape(shape))
        total = part if total is None else total + part
    return total


def _cubic(d, alpha=-0.75):
    """The weight of an element at distance d [Keys, 1981]."""
    d = abs(d)
    if d <= 1:
        return ((alpha + 2) * d - (alpha + 3)) * d * d + 1
    return ((d - 5) * d + 8) * d * alpha - 4 * alpha if d < 2 else 0.0


def _scales(a, spatial):
    found = a.scale_factors
    if not found:
        found = [a.scales] if spatial == 1 else [a.scales_d, a.scales_h, a.scales_w][-spatial:]
    return None if any(one is None for one in found) else [float(one) for one in found]


for _kind, _dims in (("nearest", (1, 2, 3)), ("linear", (1,)), ("bilinear", (2,)),
                     ("bicubic", (2,)), ("trilinear", (3,))):
    for _n in _dims:
        operators({f"upsample_{_kind}{_n}d": _resize(_kind, _n)})


@operator("grid_sampler grid_sampler_2d grid_sampler_3d cudnn_grid_sampler")
def _grid_sample(a):
    x, grid = _v.expr(a[0]), _v.expr(a[1])
    rank = _v.rank_of(x)
    method = ("bilinear", "nearest", "bicubic")[int(a.interpolation_mode)]
    padding = ("zeros", "border", "reflection")[int(a.padding_mode)]
    grid = _op.transpose(grid, axes=[0, rank - 1, *range(1, rank - 1)])
    return _image.grid_sample(x, grid, method=method, layout=_LAYOUTS[rank - 2],
                              padding_mode=padding, align_corners=bool(a.align_corners))


@operator("affine_grid_generator")
def _affine_grid(a):
    size = [int(n) for n in a.size]
    if len(size) != 4 or not a.align_corners:
        raise LatheValueError("this form of affine_grid is not supported", "pytorch-value",
                              "expected: images of two dimensions, align_corners=True")
    made = _image.affine_grid(_v.expr(a[0]), target_shape=size[2:])
    return _op.transpose(made, axes=[0, 2, 3, 1])
