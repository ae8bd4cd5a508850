"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe import te as te
from lathe import topi as topi

def conv2d_nchw_bn_relu_auto_scheduler_test(N: Any, H: Any, W: Any, CI: Any, CO: Any, kernel_size: Any, strides: Any, padding: Any, dilation: Any = ...) -> Any:
    """A convolution with bias, a scale and a shift of each channel, and relu.

    Example:
        >>> from lathe.testing import auto_scheduler
        >>> made = auto_scheduler.conv2d_nchw_bn_relu_auto_scheduler_test(1, 8, 8, 3, 4, 3, 1, 1)
        >>> [int(n) for n in made[-1].shape]
        [1, 4, 8, 8]
    """

def double_matmul_auto_scheduler_test(N: Any) -> Any:
    """A matrix times the product of two others.

    Example:
        >>> from lathe.testing import auto_scheduler
        >>> len(auto_scheduler.double_matmul_auto_scheduler_test(4))
        4
    """

def matmul_auto_scheduler_test(N: Any, M: Any, K: Any) -> Any:
    """The product of two matrices.

    Example:
        >>> from lathe.testing import auto_scheduler
        >>> [t.name for t in auto_scheduler.matmul_auto_scheduler_test(4, 4, 4)]
        ['A', 'B', 'C']
    """

def max_pool2d_auto_scheduler_test(N: Any, H: Any, W: Any, CI: Any, padding: Any) -> Any:
    """Max pooling of windows of 2 x 2.

    Example:
        >>> from lathe.testing import auto_scheduler
        >>> len(auto_scheduler.max_pool2d_auto_scheduler_test(1, 8, 8, 4, 1))
        2
    """

def min_nm_auto_scheduler_test(N: Any, M: Any) -> Any:
    """The least element of each row.

    Example:
        >>> from lathe.testing import auto_scheduler
        >>> auto_scheduler.min_nm_auto_scheduler_test(4, 8)[1].ndim
        1
    """

def parallel_matmul_auto_scheduler_test(N: Any) -> Any:
    """Two products with the same left matrix.

    Example:
        >>> from lathe.testing import auto_scheduler
        >>> len(auto_scheduler.parallel_matmul_auto_scheduler_test(4))
        5
    """

def softmax_abcd_auto_scheduler_test(a: Any, b: Any, c: Any, d: Any) -> Any:
    """Softmax over the last of four axes.

    Example:
        >>> from lathe.testing import auto_scheduler
        >>> len(auto_scheduler.softmax_abcd_auto_scheduler_test(1, 2, 3, 4))
        2
    """

def softmax_nm_auto_scheduler_test(N: Any, M: Any) -> Any:
    """Softmax of rows.

    Example:
        >>> from lathe.testing import auto_scheduler
        >>> len(auto_scheduler.softmax_nm_auto_scheduler_test(4, 8))
        2
    """

def zero_rank_compute_auto_scheduler_test(N: Any) -> Any:
    """The sum of a vector minus one.

    Example:
        >>> from lathe.testing import auto_scheduler
        >>> len(auto_scheduler.zero_rank_compute_auto_scheduler_test(8))
        2
    """

def zero_rank_reduce_auto_scheduler_test(N: Any) -> Any:
    """The sum of a vector: a tensor of rank 0.

    Example:
        >>> from lathe.testing import auto_scheduler
        >>> auto_scheduler.zero_rank_reduce_auto_scheduler_test(8)[1].ndim
        0
    """
