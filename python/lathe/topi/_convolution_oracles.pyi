"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError
from lathe.topi.nn.utils import get_pad_tuple_generic as get_pad_tuple_generic

def conv1d_ncw_python(a_np: Any, w_np: Any, stride: Any, padding: Any, dilation: Any) -> Any:
    """The convolution of (N, C, W) with weights (O, C, K).

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.conv1d_ncw_python(np.ones((1, 2, 5)), np.ones((1, 2, 3)), 1, 0, 1).tolist()
        [[[6.0, 6.0, 6.0]]]
    """

def conv1d_transpose_ncw_python(a_np: Any, w_np: Any, stride: Any, padding: Any, output_padding: Any) -> Any:
    """The transposed convolution of (N, C, W) with weights (C, O, K).

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.conv1d_transpose_ncw_python(np.ones((1, 1, 2)), np.ones((1, 1, 3)), 2, 0, 0).tolist()
        [[[1.0, 1.0, 2.0, 1.0, 1.0]]]
    """

def conv2d_hwcn_python(a_np: Any, w_np: Any, stride: Any, padding: Any) -> Any:
    """The convolution of (H, W, C, N) with weights (KH, KW, C, O).

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.conv2d_hwcn_python(np.ones((3, 3, 2, 1)), np.ones((3, 3, 2, 4)), 1, 0).shape
        (1, 1, 4, 1)
    """

def conv2d_nchw_python(a_np: Any, w_np: Any, stride: Any, padding: Any, groups: Any = ...) -> Any:
    """The convolution of (N, C, H, W) with weights (O, C / groups, KH, KW).

    Args:
        padding: "SAME", "VALID", a number, (height, width), or (top, left, bottom, right).

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.conv2d_nchw_python(np.ones((1, 2, 3, 3)), np.ones((1, 2, 3, 3)), 1, 0).tolist()
        [[[[18.0]]]]
    """

def conv2d_nhwc_python(a_np: Any, w_np: Any, stride: Any, padding: Any, groups: Any = ...) -> Any:
    """The convolution of (N, H, W, C) with weights (KH, KW, C / groups, O).

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.conv2d_nhwc_python(np.ones((1, 3, 3, 2)), np.ones((3, 3, 2, 1)), 1, "SAME").shape
        (1, 3, 3, 1)
    """

def conv2d_transpose_nchw_python(a_np: Any, w_np: Any, stride: Any, padding: Any, output_padding: Any, groups: Any = ...) -> Any:
    """The transposed convolution of (N, C, H, W) with weights (C, O / groups, KH, KW).

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.conv2d_transpose_nchw_python(np.ones((1, 1, 2, 2)), np.ones((1, 3, 3, 3)), 1, 0, (0, 0)).shape
        (1, 3, 4, 4)
    """

def conv3d_ncdhw_python(a_np: Any, w_np: Any, stride: Any, padding: Any, groups: Any = ...) -> Any:
    """The convolution of (N, C, D, H, W) with weights (O, C / groups, KD, KH, KW).

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.conv3d_ncdhw_python(np.ones((1, 1, 3, 3, 3)), np.ones((1, 1, 3, 3, 3)), 1, 0).tolist()
        [[[[[27.0]]]]]
    """

def conv3d_ndhwc_python(a_np: Any, w_np: Any, stride: Any, padding: Any, groups: Any = ...) -> Any:
    """The convolution of (N, D, H, W, C) with weights (KD, KH, KW, C / groups, O).

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.conv3d_ndhwc_python(np.ones((1, 3, 3, 3, 1)), np.ones((3, 3, 3, 1, 2)), 1, 0).shape
        (1, 1, 1, 1, 2)
    """

def conv3d_transpose_ncdhw_python(a_np: Any, w_np: Any, stride: Any, padding: Any, output_padding: Any) -> Any:
    """The transposed convolution of (N, C, D, H, W) with weights (C, O, KD, KH, KW).

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.conv3d_transpose_ncdhw_python(np.ones((1, 1, 2, 2, 2)), np.ones((1, 1, 1, 1, 1)), 2, 0, 0).shape
        (1, 1, 3, 3, 3)
    """

def depthwise_conv2d_python_nchw(input_np: Any, filter_np: Any, stride: Any, padding: Any) -> Any:
    """The convolution of each channel of (N, C, H, W) with its filters: (C, M, KH, KW).

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.depthwise_conv2d_python_nchw(np.ones((1, 2, 3, 3)), np.ones((2, 1, 3, 3)), 1, "VALID").tolist()
        [[[[9.0]], [[9.0]]]]
    """

def depthwise_conv2d_python_nhwc(input_np: Any, filter_np: Any, stride: Any, padding: Any) -> Any:
    """The convolution of each channel of (N, H, W, C) with its filters: (KH, KW, C, M).

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.depthwise_conv2d_python_nhwc(np.ones((1, 3, 3, 2)), np.ones((3, 3, 2, 1)), 1, "SAME").shape
        (1, 3, 3, 2)
    """

def dilate_python(input_np: Any, strides: Any, dilation_value: Any = ..., out_dtype: Any = ...) -> Any:
    """An array with `strides[i] - 1` elements of `dilation_value` between those of axis i.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.dilate_python(np.array([1, 2]), (3,)).tolist()
        [1, 0, 0, 2]
    """
