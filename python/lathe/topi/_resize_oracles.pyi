"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError

def resize1d_python(data: Any, scale: Any, layout: Any = ..., method: Any = ..., coordinate_transformation_mode: Any = ...) -> Any:
    """`data` with its axis W made longer by a factor.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.resize1d_python(np.array([[[1.0, 2.0]]]), (2,), "NCW", "linear", "asymmetric").tolist()
        [[[1.0, 1.5, 2.0, 2.0]]]
    """

def resize2d_python(data: Any, scale: Any, layout: Any = ..., method: Any = ..., coordinate_transformation_mode: Any = ...) -> Any:
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

def resize3d_python(data: Any, scale: Any, layout: Any = ..., method: Any = ..., coordinate_transformation_mode: Any = ...) -> Any:
    """`data` with its axes D, H and W made longer by factors.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.resize3d_python(np.ones((1, 1, 2, 2, 2)), (1, 2, 2)).shape
        (1, 1, 2, 4, 4)
    """
