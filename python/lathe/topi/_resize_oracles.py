"""Resizing computed by NumPy, which tests compare with: along one axis after the other."""

from ..error import LatheValueError
from ._oracles import _np

_ORDER = {"nearest_neighbor": 0, "linear": 1, "bilinear": 1, "trilinear": 1, "cubic": 3, "bicubic": 3}


def _weights(given, made, method, mode):
    """The matrix (made, given) that maps an axis."""
    np = _np()
    at = np.arange(made, dtype="float64")
    if mode == "align_corners":
        place = at * ((given - 1) / (made - 1) if made > 1 else 0.0)
    elif mode == "asymmetric":
        place = at * given / made
    elif mode == "half_pixel":
        place = (at + 0.5) * given / made - 0.5
    else:
        raise LatheValueError(f"there is no mode `{mode}` of coordinates", "oracle-resize",
                              "expected: align_corners, asymmetric or half_pixel")
    if method not in _ORDER:
        raise LatheValueError(f"there is no method `{method}` of resizing", "oracle-resize",
                              "expected: " + ", ".join(_ORDER))
    out = np.zeros((made, given))
    if _ORDER[method] == 0:
        # The nearest only with aligned corners; else the one before.
        chosen = np.floor(place + (0.5 if mode == "align_corners" else 1e-5))
        out[np.arange(made), np.clip(chosen, 0, given - 1).astype(int)] = 1.0
        return out
    below = np.floor(place).astype(int)
    part = place - below
    if _ORDER[method] == 1:
        taps = [(0, 1 - part), (1, part)]
    else:
        a = -0.5
        taps = [(-1, a * (part ** 3 - 2 * part ** 2 + part)), (0, (a + 2) * part ** 3 - (a + 3) * part ** 2 + 1),
                (1, -(a + 2) * part ** 3 + (2 * a + 3) * part ** 2 - a * part), (2, a * (part ** 2 - part ** 3))]
    for offset, weight in taps:
        np.add.at(out, (np.arange(made), np.clip(below + offset, 0, given - 1)), weight)
    return out


def _resized(data, scale, axes, method, mode):
    np = _np()
    out = data.astype("float64")
    for axis, factor in zip(axes, scale):
        made = int(round(data.shape[axis] * factor))
        matrix = _weights(data.shape[axis], made, method, mode)
        out = np.moveaxis(np.tensordot(matrix, out, (1, axis)), 0, axis)
    return out.astype(data.dtype)


def resize1d_python(data, scale, layout="NCW", method="nearest_neighbor", coordinate_transformation_mode="align_corners"):
    """`data` with its axis W made longer by a factor.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.resize1d_python(np.array([[[1.0, 2.0]]]), (2,), "NCW", "linear", "asymmetric").tolist()
        [[[1.0, 1.5, 2.0, 2.0]]]
    """
    return _resized(data, scale, [layout.index("W")], method, coordinate_transformation_mode)


def resize2d_python(data, scale, layout="NCHW", method="nearest_neighbor", coordinate_transformation_mode="align_corners"):
    """`data` with its axes H and W made longer by factors.

    Args:
        scale: (of H, of W).
        layout: a text with the letters H and W, such as "NHWC".
        method: "nearest_neighbor", "linear" or "cubic".
        coordinate_transformation_mode: "align_corners", "asymmetric" or "half_pixel".

    Raises:
        LatheError: `oracle-resize`: another method or mode.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.resize2d_python(np.ones((1, 1, 2, 2)), (2, 3)).shape
        (1, 1, 4, 6)
    """
    return _resized(data, scale, [layout.index("H"), layout.index("W")], method, coordinate_transformation_mode)


def resize3d_python(data, scale, layout="NCDHW", method="nearest_neighbor", coordinate_transformation_mode="align_corners"):
    """`data` with its axes D, H and W made longer by factors.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.resize3d_python(np.ones((1, 1, 2, 2, 2)), (1, 2, 2)).shape
        (1, 1, 2, 4, 4)
    """
    axes = [layout.index(letter) for letter in "DHW"]
    return _resized(data, scale, axes, method, coordinate_transformation_mode)
