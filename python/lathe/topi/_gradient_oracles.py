"""Gradients computed by NumPy, which tests compare with. They are slow and plain."""

from ..error import LatheValueError
from ._oracles import _np, _pair


def _windows(extents, window, steps, before):
    """Each window of an image of which the first begins at -before.

    Args:
        extents: how many windows there are in each direction.

    Yields:
        (place, begin, low, high): the window's number in each direction, where it begins, where it begins
        within the image, and its end, which may be behind the image.
    """
    np = _np()
    for place in np.ndindex(*extents):
        begin = [p * s - b for p, s, b in zip(place, steps, before)]
        yield place, begin, [max(b, 0) for b in begin], [b + w for b, w in zip(begin, window)]


def pool_grad_nchw(a_np, out_grad_np, pool_size, strides, padding, pool_type, ceil_mode, count_include_pad=True):
    """The gradient of pooling with respect to its data (N, C, H, W).

    Args:
        a_np: the data.
        out_grad_np: the gradient of the result, (N, C, out height, out width); its extents say whether
            the size was rounded up, so `ceil_mode` is not needed again.
        pool_size, strides: of two directions.
        padding: (top, left, bottom, right).
        pool_type: "max" or "avg". Of equal largest elements, the first gets the gradient.
        count_include_pad: do averages count the padding?

    Raises:
        LatheValueError: `oracle-pool`: another type.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> data, grad = np.arange(4.0).reshape(1, 1, 2, 2), np.ones((1, 1, 1, 1))
        >>> topi.testing.pool_grad_nchw(data, grad, (2, 2), (2, 2), (0, 0, 0, 0), "max", False).tolist()
        [[[[0.0, 0.0], [0.0, 1.0]]]]
    """
    np = _np()
    if pool_type not in ("max", "avg"):
        raise LatheValueError(f"there is no pooling `{pool_type}`", "oracle-pool", "expected: max or avg")
    made, size = np.zeros_like(a_np), a_np.shape[2:]
    top, left, bottom, right = padding
    for place, begin, low, high in _windows(out_grad_np.shape[2:], pool_size, strides, (top, left)):
        inside = (slice(None), slice(None), *(slice(a, max(min(b, n), 0)) for a, b, n in zip(low, high, size)))
        part, grad = a_np[inside], out_grad_np[(slice(None), slice(None), *place)][..., None, None]
        if part.size == 0:  # the window lies in the padding alone
            continue
        if pool_type == "max":
            flat = part.reshape(*part.shape[:2], -1)
            first = np.eye(flat.shape[2], dtype=made.dtype)[flat.argmax(axis=2)].reshape(part.shape)
            made[inside] += first * grad
            continue
        padded = [min(h, n + after) - b for h, n, after, b in zip(high, size, (bottom, right), begin)]
        count = padded[0] * padded[1] if count_include_pad else part.shape[2] * part.shape[3]
        made[inside] += grad / max(count, 1)
    return made


def conv2d_backward_weight_python(dy_np, x_np, kernel_size, stride, padding, layout="NCHW", groups=1, channels=None):
    """The gradient of a convolution with respect to its weights.

    Args:
        dy_np: the gradient of the result, (N, O, out height, out width), or NHWC.
        x_np: the data (N, C, H, W), or NHWC.
        kernel_size, stride, padding: of two directions.
        layout: "NCHW", which gives (O, C / groups, height, width), or "NHWC", which gives (height,
            width, C / groups, O).
        groups: of channels.
        channels: accepted for old programs: `dy_np` says it.

    Raises:
        LatheValueError: `oracle-layout`: another layout.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.conv2d_backward_weight_python(
        ...     np.ones((1, 1, 2, 2)), np.ones((1, 1, 3, 3)), (2, 2), (1, 1), (0, 0)).tolist()
        [[[[4.0, 4.0], [4.0, 4.0]]]]
    """
    np = _np()
    if layout not in ("NCHW", "NHWC"):
        raise LatheValueError(f"there is no oracle for the layout `{layout}`", "oracle-layout",
                              "expected: NCHW or NHWC")
    if layout == "NHWC":
        planes = [one.transpose(0, 3, 1, 2) for one in (dy_np, x_np)]
        made = conv2d_backward_weight_python(*planes, kernel_size, stride, padding, groups=groups)
        return made.transpose(2, 3, 1, 0)
    steps, frame = _pair(stride), _pair(padding)
    padded = np.pad(x_np, [(0, 0), (0, 0), *((n, n) for n in frame)])
    inner, outer = x_np.shape[1] // groups, dy_np.shape[1] // groups
    made = np.zeros((dy_np.shape[1], inner, *kernel_size), np.result_type(dy_np, x_np))
    for y, x in np.ndindex(*kernel_size):
        part = padded[:, :, y:y + (dy_np.shape[2] - 1) * steps[0] + 1:steps[0],
                      x:x + (dy_np.shape[3] - 1) * steps[1] + 1:steps[1]]
        for group in range(groups):
            out, here = slice(group * outer, (group + 1) * outer), slice(group * inner, (group + 1) * inner)
            made[out, :, y, x] = np.einsum("nohw,nchw->oc", dy_np[:, out], part[:, here])
    return made
