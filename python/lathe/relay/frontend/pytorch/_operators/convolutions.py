"""Convolutions and pools."""

from .....error import LatheValueError
from .... import nn as _nn
from .... import op as _op
from .. import _values as _v
from .._registry import operator, operators
from .padding import padded
from .shapes import reshaped


@operator("_convolution convolution conv1d conv2d conv3d conv_transpose1d conv_transpose2d "
          "conv_transpose3d convolution_overrideable mkldnn_convolution")
def _convolution(a):
    x, weight = _v.together(a[0], a.weight)
    transposed = bool(a.transposed) or "transpose" in a._name
    spatial = _v.rank_of(weight) - 2
    batched = _v.rank_of(x) == spatial + 2
    if not batched:
        x = _op.expand_dims(x, axis=0)
    made = _convolved(x, weight, a, spatial, transposed)
    if a.bias is not None:
        made = _nn.bias_add(made, _v.expr(a.bias, _v.dtype_of(made)))
    return made if batched else _op.squeeze(made, axis=[0])


def _convolved(x, weight, a, spatial, transposed):
    window = _v.shape_of(weight)[2:]
    strides = [int(n) for n in _v.pair(1 if a.stride is None else a.stride, spatial)]
    dilation = [int(n) for n in _v.pair(1 if a.dilation is None else a.dilation, spatial)]
    groups = int(a.groups or 1)
    padding = 0 if a.padding is None else a.padding
    if isinstance(padding, str):
        padding = _named_padding(padding, window, dilation)
    else:
        padding = [int(n) for n in _v.pair(padding, spatial)] * 2
    common = {"strides": strides, "padding": padding, "dilation": dilation, "groups": groups,
              "kernel_size": window}
    if not transposed:
        function = getattr(_nn, f"conv{spatial}d")
        return function(x, weight, channels=_v.shape_of(weight)[0], **common)
    more = [int(n) for n in _v.pair(a.output_padding or 0, spatial)]
    function = getattr(_nn, f"conv{spatial}d_transpose")
    return function(x, weight, channels=_v.shape_of(weight)[1] * groups, output_padding=more,
                    **common)


def _named_padding(padding, window, dilation):
    if padding == "valid":
        return [0] * (2 * len(window))
    total = [d * (n - 1) for n, d in zip(window, dilation)]
    return [n // 2 for n in total] + [n - n // 2 for n in total]


@operator("conv_tbc")
def _conv_tbc(a):
    x, weight = _v.expr(a[0]), _v.expr(a[1])
    x = _op.transpose(x, axes=[1, 2, 0])
    made = _nn.conv1d(x, _op.transpose(weight, axes=[2, 1, 0]), padding=[int(a.pad or 0)] * 2)
    return _op.transpose(made, axes=[2, 0, 1]) + _v.expr(a[2])


# -- Pools.


def _pool_attrs(a, spatial):
    window = [int(n) for n in _v.pair(a.kernel_size, spatial)]
    strides = [int(n) for n in _v.pair(a.stride, spatial)] if a.stride not in (None, []) else window
    padding = [int(n) for n in _v.pair(0 if a.padding is None else a.padding, spatial)]
    return {"pool_size": window, "strides": strides, "padding": padding * 2,
            "ceil_mode": bool(a.ceil_mode)}


def _images(x, spatial):
    """(a tensor of images, is there a dimension for their number?)"""
    x = _v.expr(x)
    batched = _v.rank_of(x) == spatial + 2
    return (x if batched else _op.expand_dims(x, axis=0)), batched


def _unimages(x, batched):
    return x if batched else _op.squeeze(x, axis=[0])


def _max_pool(spatial, places):
    def convert(a):
        x, batched = _images(a[0], spatial)
        attrs = _pool_attrs(a, spatial)
        attrs["dilation"] = [int(n) for n in _v.pair(a.dilation or 1, spatial)]
        found = _unimages(getattr(_nn, f"max_pool{spatial}d")(x, **attrs), batched)
        if not places:
            return found
        index = getattr(_nn, f"max_pool{spatial}d_indices")(x, **attrs)
        return found, _unimages(_in_plane(index, x, spatial), batched)

    return convert


def _in_plane(index, x, spatial):
    """PyTorch counts places within a plane, not within the whole tensor."""
    size = _v.product(_v.shape_of(x)[-spatial:])
    return _op.floor_mod(index, _v.expr(size, "int64"))


def _avg_pool(spatial):
    def convert(a):
        x, batched = _images(a[0], spatial)
        dtype = _v.dtype_of(x)
        x = x if _v.is_float(x) else _v.cast(x, "float64")
        attrs = _pool_attrs(a, spatial)
        included = a.count_include_pad is None or bool(a.count_include_pad)
        framed = any(attrs["padding"]) and included and attrs["ceil_mode"]
        if a.divisor_override is not None or framed:
            made = _framed_pool(x, attrs, spatial, a.divisor_override)
        else:
            made = getattr(_nn, f"avg_pool{spatial}d")(x, count_include_pad=included, **attrs)
        return _unimages(_v.cast(made, dtype), batched)

    return convert


def _framed_pool(x, attrs, spatial, divisor):
    """Means by PyTorch's count: with the zeros of the frame, without what ceil_mode adds to it; or
    sums over a divisor.
    """
    extents, window = _v.shape_of(x)[2:], attrs["pool_size"]
    frame, more = [], []
    for n, k, s, p in zip(extents, window, attrs["strides"], attrs["padding"]):
        if not isinstance(n, int):
            raise LatheValueError("an average pool of this kind needs fixed extents",
                                  "pytorch-value-needed")
        count = -(-(n + 2 * p - k) // s) + 1 if attrs["ceil_mode"] else (n + 2 * p - k) // s + 1
        if attrs["ceil_mode"] and (count - 1) * s >= n + p:
            count -= 1
        frame = [p, p] + frame
        more = [0, max((count - 1) * s + k - (n + 2 * p), 0)] + more
    pool = getattr(_nn, f"avg_pool{spatial}d")
    plain = {"pool_size": window, "strides": attrs["strides"], "count_include_pad": True}
    framed = padded(x, frame, "constant", 0)
    sums = pool(padded(framed, more, "constant", 0), **plain) * float(_v.product(window))
    if divisor is not None:
        return sums / float(divisor)
    ones = padded(_op.ones_like(framed), more, "constant", 0)
    return sums / (pool(ones, **plain) * float(_v.product(window)))


def _adaptive(kind, spatial, places=False):
    def convert(a):
        x, batched = _images(a[0], spatial)
        shape = _v.shape_of(x)
        sizes = [shape[2 + i] if n is None else int(n)
                 for i, n in enumerate(_v.pair(a.output_size, spatial))]
        made = getattr(_nn, f"adaptive_{kind}_pool{spatial}d")(x, output_size=sizes)
        if not places:
            return _unimages(made, batched)
        index = getattr(_nn, f"adaptive_{kind}_pool{spatial}d_indices")(x, output_size=sizes)
        return _unimages(made, batched), _unimages(_in_plane(index, x, spatial), batched)

    return convert


for _n in (1, 2, 3):
    operators({
        f"max_pool{_n}d": _max_pool(_n, False),
        f"max_pool{_n}d_with_indices": _max_pool(_n, True),
        f"avg_pool{_n}d": _avg_pool(_n),
        f"adaptive_avg_pool{_n}d _adaptive_avg_pool{_n}d": _adaptive("avg", _n),
        f"adaptive_max_pool{_n}d": _adaptive("max", _n, True),
    })


@operator("im2col")
def _im2col(a):
    return _columns(a, _nn.unfold)


def _columns(a, function, **more):
    x = _v.expr(a[0])
    batched = _v.rank_of(x) == (4 if function is _nn.unfold else 3)
    x = x if batched else _op.expand_dims(x, axis=0)
    made = function(x, kernel_size=[int(n) for n in _v.pair(a.kernel_size, 2)],
                    strides=[int(n) for n in _v.pair(a.stride or 1, 2)],
                    padding=[int(n) for n in _v.pair(a.padding or 0, 2)] * 2,
                    dilation=[int(n) for n in _v.pair(a.dilation or 1, 2)], **more)
    return _unimages(made, batched)


@operator("col2im")
def _col2im(a):
    return _columns(a, _nn.fold, output_size=[int(n) for n in _v.pair(a.output_size, 2)])


@operator("max_unpool2d")
def _max_unpool(a):
    x, batched = _images(a[0], 2)
    index, _ = _images(a[1], 2)
    n, c = _v.shape_of(x)[:2]
    height, width = (int(n) for n in a.output_size)
    zeros = _v.full([n, c, height * width], 0, _v.dtype_of(x))
    flat = [n, c, _v.product(_v.shape_of(x)[2:])]
    made = _op.scatter_elements(zeros, reshaped(index, flat), reshaped(x, flat), axis=2)
    return _unimages(reshaped(made, [n, c, height, width]), batched)
