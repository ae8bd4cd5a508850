"""Written by python/stubs/make_stubs.py."""

from typing import Any

def adaptive_pool(np_data: Any, out_size: Any, pool_type: Any, layout: Any) -> Any:
    """Pooling to a given size; the layout says where the channels are: "NCHW", "NHWC", "NCDHW", ...

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.adaptive_pool(np.arange(4.0).reshape(1, 1, 2, 2), (1, 1), "avg", "NCHW").tolist()
        [[[[1.5]]]]
    """

def batch_matmul(x: Any, y: Any, out_dtype: Any = ..., trans_x: Any = ..., trans_y: Any = ...) -> Any:
    """The products of two batches of matrices; the second is transposed by default. Batches of one are repeated.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.batch_matmul(np.ones((2, 3, 4)), np.ones((1, 5, 4))).shape
        (2, 3, 5)
    """

def dense(x: Any, y: Any, bias: Any, use_bias: Any = ..., use_relu: Any = ..., out_dtype: Any = ...) -> Any:
    """`x` times the transposed `y`.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.dense(np.ones((1, 2)), np.ones((3, 2)), np.ones(3), use_bias=True).tolist()
        [[3.0, 3.0, 3.0]]
    """

def depth_to_space_python(data: Any, block_size: Any, mode: Any = ...) -> Any:
    """Blocks of channels of (N, C, H, W) as blocks of places.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.depth_to_space_python(np.arange(4).reshape(1, 4, 1, 1), 2).tolist()
        [[[[0, 1], [2, 3]]]]
    """

def gather_nd_python(a_np: Any, indices_np: Any) -> Any:
    """The elements whose indices are the columns of `indices_np`.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.gather_nd_python(np.array([[1, 2], [3, 4]]), np.array([[1, 0], [0, 1]])).tolist()
        [3, 2]
    """

def gather_python(data: Any, axis: Any, indices: Any) -> Any:
    """The elements at `indices` along an axis.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.gather_python(np.array([[1, 2], [3, 4]]), 1, np.array([[1], [0]])).tolist()
        [[2], [3]]
    """

def l2_normalize_python(a_np: Any, eps: Any, axis: Any = ...) -> Any:
    """The array divided by the square root of the sum of its squares, which is at least eps.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.l2_normalize_python(np.array([3.0, 4.0]), 1e-6).tolist()
        [0.6, 0.8]
    """

def log_softmax_python(a_np: Any, axis: Any = ...) -> Any:
    """The logarithm of softmax over an axis.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.log_softmax_python(np.zeros((1, 1))).tolist()
        [[0.0]]
    """

def lrn_python(a_np: Any, size: Any, axis: Any, bias: Any, alpha: Any, beta: Any) -> Any:
    """Local response normalization over `size` neighbours along an axis.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.lrn_python(np.ones((1, 3, 1, 1)), 3, 1, 1.0, 3.0, 1.0).ravel().tolist()
        [0.3333333333333333, 0.25, 0.3333333333333333]
    """

def matrix_set_diag(input_np: Any, diagonal: Any, k: Any = ..., align: Any = ...) -> Any:
    """A copy of a batch of matrices with diagonals from `k` (a number, or the lowest and the highest) replaced.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.matrix_set_diag(np.zeros((2, 2)), np.array([5.0, 6.0])).tolist()
        [[5.0, 0.0], [0.0, 6.0]]
    """

def one_hot(indices: Any, on_value: Any, off_value: Any, depth: Any, axis: Any, dtype: Any) -> Any:
    """`on_value` at the place of each index along a new axis of `depth` elements, `off_value` elsewhere.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.one_hot(np.array([2, 0]), 1, 0, 3, -1, "int32").tolist()
        [[0, 0, 1], [1, 0, 0]]
    """

def poolnd_python(np_data: Any, kernel: Any, strides: Any, dilation: Any, padding_before: Any, padding_after: Any, pool_type: Any, count_include_pad: Any = ..., ceil_mode: Any = ..., dtype: Any = ..., layout: Any = ...) -> Any:
    """Pooling of (N, C, spatial...).

    Args:
        pool_type: "max" or "avg".
        ceil_mode: also windows that begin inside but end outside.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> x = np.arange(4.0).reshape(1, 1, 4)
        >>> topi.testing.poolnd_python(x, (2,), (2,), (1,), (0,), (0,), "max").tolist()
        [[[1.0, 3.0]]]
    """

def searchsorted_ref(sorted_sequence: Any, values: Any, right: Any, out_dtype: Any) -> Any:
    """The places at which `values` keep each last axis sorted.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.searchsorted_ref(np.array([[1, 3]]), np.array([[3, 4]]), False, "int32").tolist()
        [[1, 2]]
    """

def sequence_mask(data: Any, valid_length: Any, mask_value: Any, axis: Any) -> Any:
    """`data` (time along `axis`, 0 or 1; batch along the other), with `mask_value` from each length on.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.sequence_mask(np.ones((3, 2)), np.array([1, 2]), 0.0, 0).tolist()
        [[1.0, 1.0], [0.0, 1.0], [0.0, 0.0]]
    """

def slice_axis_python(data: Any, axis: Any, begin: Any, end: Any = ...) -> Any:
    """`data[begin:end]` of one axis.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.slice_axis_python(np.arange(4), 0, 1, 3).tolist()
        [1, 2]
    """

def softmax_python(a_np: Any, axis: Any = ...) -> Any:
    """Softmax over an axis.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.softmax_python(np.zeros((1, 4))).tolist()
        [[0.25, 0.25, 0.25, 0.25]]
    """

def space_to_depth_python(data: Any, block_size: Any) -> Any:
    """Blocks of places of (N, C, H, W) as blocks of channels.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.space_to_depth_python(np.arange(4).reshape(1, 1, 2, 2), 2).ravel().tolist()
        [0, 1, 2, 3]
    """

def strided_set_python(data: Any, v: Any, begin: Any, end: Any, strides: Any) -> Any:
    """A copy of `data` with `v` in a strided slice.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.strided_set_python(np.zeros(4), np.ones(2), [0], [4], [2]).tolist()
        [1.0, 0.0, 1.0, 0.0]
    """

def strided_slice_python(data: Any, begin: Any, end: Any, strides: Any, slice_mode: Any = ..., axes: Any = ...) -> Any:
    """`data[begin:end:strides]` of each axis. With the mode "size", `end` has sizes, -1 for all that is left.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.testing.strided_slice_python(np.arange(6), [1], [5], [2]).tolist()
        [1, 3]
    """
