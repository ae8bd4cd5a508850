"""Small programs that tests of schedulers begin with: each function gives the tensors of one, inputs first."""

from . import te, topi


def matmul_auto_scheduler_test(N, M, K):
    """The product of two matrices.

    Example:
        >>> from lathe.testing import auto_scheduler
        >>> [t.name for t in auto_scheduler.matmul_auto_scheduler_test(4, 4, 4)]
        ['A', 'B', 'C']
    """
    A, B = te.placeholder((N, K), name="A"), te.placeholder((K, M), name="B")
    k = te.reduce_axis((0, K), name="k")
    C = te.compute((N, M), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C",
                   attrs={"layout_free_placeholders": [B]})
    return [A, B, C]


def double_matmul_auto_scheduler_test(N):
    """A matrix times the product of two others.

    Example:
        >>> from lathe.testing import auto_scheduler
        >>> len(auto_scheduler.double_matmul_auto_scheduler_test(4))
        4
    """
    A, B, C = (te.placeholder((N, N), name=name) for name in "ABC")
    k = te.reduce_axis((0, N), name="k")
    D = te.compute((N, N), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="D")
    m = te.reduce_axis((0, N), name="m")
    E = te.compute((N, N), lambda i, j: te.sum(D[i, m] * C[m, j], axis=m), name="E")
    return [A, B, C, E]


def parallel_matmul_auto_scheduler_test(N):
    """Two products with the same left matrix.

    Example:
        >>> from lathe.testing import auto_scheduler
        >>> len(auto_scheduler.parallel_matmul_auto_scheduler_test(4))
        5
    """
    A, B, C = (te.placeholder((N, N), name=name) for name in "ABC")

    def product(other, name):
        k = te.reduce_axis((0, N), name="k")
        return te.compute((N, N), lambda i, j: te.sum(A[i, k] * other[k, j], axis=k), name=name)

    return [A, B, C, product(B, "D"), product(C, "E")]


def conv2d_nchw_bn_relu_auto_scheduler_test(N, H, W, CI, CO, kernel_size, strides, padding, dilation=1):
    """A convolution with bias, a scale and a shift of each channel, and relu.

    Example:
        >>> from lathe.testing import auto_scheduler
        >>> made = auto_scheduler.conv2d_nchw_bn_relu_auto_scheduler_test(1, 8, 8, 3, 4, 3, 1, 1)
        >>> [int(n) for n in made[-1].shape]
        [1, 4, 8, 8]
    """
    data = te.placeholder((N, CI, H, W), name="Data")
    kernel = te.placeholder((CO, CI, kernel_size, kernel_size), name="Kernel")
    bias, scale, shift = (te.placeholder((CO, 1, 1), name=name) for name in ("Bias", "Bn_scale", "Bn_offset"))
    made = topi.nn.conv2d_nchw(data, kernel, strides, padding, dilation)
    for name, other, combine in (("Bias_add", bias, lambda a, b: a + b), ("Bn_mul", scale, lambda a, b: a * b),
                                 ("Bn_add", shift, lambda a, b: a + b)):
        made = te.compute(made.shape, lambda n, c, y, x, made=made, other=other, combine=combine:
                          combine(made[n, c, y, x], other[c, 0, 0]), name=name)
    return [data, kernel, bias, shift, scale, topi.nn.relu(made)]


def max_pool2d_auto_scheduler_test(N, H, W, CI, padding):
    """Max pooling of windows of 2 x 2.

    Example:
        >>> from lathe.testing import auto_scheduler
        >>> len(auto_scheduler.max_pool2d_auto_scheduler_test(1, 8, 8, 4, 1))
        2
    """
    data = te.placeholder((N, CI, H, W), name="Data")
    return [data, topi.nn.pool2d(data, [2, 2], [1, 1], [1, 1], [padding] * 4, pool_type="max")]


def min_nm_auto_scheduler_test(N, M):
    """The least element of each row.

    Example:
        >>> from lathe.testing import auto_scheduler
        >>> auto_scheduler.min_nm_auto_scheduler_test(4, 8)[1].ndim
        1
    """
    A = te.placeholder((N, M), name="A")
    return [A, topi.min(A, axis=-1)]


def softmax_nm_auto_scheduler_test(N, M):
    """Softmax of rows.

    Example:
        >>> from lathe.testing import auto_scheduler
        >>> len(auto_scheduler.softmax_nm_auto_scheduler_test(4, 8))
        2
    """
    A = te.placeholder((N, M), name="A")
    return [A, topi.nn.softmax(A, axis=1)]


def softmax_abcd_auto_scheduler_test(a, b, c, d):
    """Softmax over the last of four axes.

    Example:
        >>> from lathe.testing import auto_scheduler
        >>> len(auto_scheduler.softmax_abcd_auto_scheduler_test(1, 2, 3, 4))
        2
    """
    A = te.placeholder((a, b, c, d), name="A")
    return [A, topi.nn.softmax(A, axis=-1)]


def zero_rank_reduce_auto_scheduler_test(N):
    """The sum of a vector: a tensor of rank 0.

    Example:
        >>> from lathe.testing import auto_scheduler
        >>> auto_scheduler.zero_rank_reduce_auto_scheduler_test(8)[1].ndim
        0
    """
    A, k = te.placeholder((N,), name="A"), te.reduce_axis((0, N), name="k")
    return [A, te.compute((), lambda *_: te.sum(A[k], axis=k), name="B")]


def zero_rank_compute_auto_scheduler_test(N):
    """The sum of a vector minus one.

    Example:
        >>> from lathe.testing import auto_scheduler
        >>> len(auto_scheduler.zero_rank_compute_auto_scheduler_test(8))
        2
    """
    A, B = zero_rank_reduce_auto_scheduler_test(N)
    return [A, te.compute((), lambda *_: B[()] - 1.0, name="C")]
