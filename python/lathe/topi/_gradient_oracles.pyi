"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError

def conv2d_backward_weight_python(dy_np: Any, x_np: Any, kernel_size: Any, stride: Any, padding: Any, layout: Any = ..., groups: Any = ..., channels: Any = ...) -> Any:
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

def pool_grad_nchw(a_np: Any, out_grad_np: Any, pool_size: Any, strides: Any, padding: Any, pool_type: Any, ceil_mode: Any, count_include_pad: Any = ...) -> Any:
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
