"""Frames around tensors."""

from .....error import LatheValueError
from .... import nn as _nn
from .... import op as _op
from .. import _values as _v
from .._registry import operators
from .shapes import extents_of

operators({
    "constant_pad_nd": lambda a: padded(_v.expr(a[0]), a.pad, "constant", a.value),
    "pad": lambda a: padded(_v.expr(a[0]), a.pad, a.mode or "constant", a.value),
    "reflection_pad1d reflection_pad2d reflection_pad3d": lambda a: padded(
        _v.expr(a[0]), a.padding, "reflect", None),
    "replication_pad1d replication_pad2d replication_pad3d": lambda a: padded(
        _v.expr(a[0]), a.padding, "replicate", None),
})

_MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def padded(x, pad, mode, value):
    """A tensor with a frame. `pad` counts from the last dimension; negative numbers cut off."""
    pad = extents_of(pad)
    rank = _v.rank_of(x)
    if mode not in _MODES:
        raise LatheValueError("a padding of this kind is not supported", "pytorch-value",
                              f"expected: {', '.join(_MODES)}\nfound: {mode}")
    width = [[0, 0] for _ in range(rank)]
    for i in range(len(pad) // 2):
        width[rank - 1 - i] = [pad[2 * i], pad[2 * i + 1]]
    cuts = [[-n if isinstance(n, int) and n < 0 else 0 for n in one] for one in width]
    width = [[0 if cut else n for n, cut in zip(*both)] for both in zip(width, cuts)]
    flat = [n for one in width for n in one]
    if mode == "circular":  # what is cut off is not repeated
        x = _cut(x, cuts)
    if any(not isinstance(n, int) or n for n in flat):
        x = _nn.pad(x, flat, pad_value=_v.expr(value or 0, _v.dtype_of(x))) \
            if mode == "constant" else _nn.pad(x, flat, pad_mode=_MODES[mode])
    return x if mode == "circular" else _cut(x, cuts)


def _cut(x, cuts):
    """A tensor without its first and last elements: (before, after) for each dimension."""
    for axis, (before, after) in enumerate(cuts):
        if before or after:
            extent = _v.shape_of(x)[axis]
            x = _op.strided_slice(x, begin=[before], end=[extent - after], axes=[axis])
    return x
