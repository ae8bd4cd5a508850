"""Products of matrices by NVIDIA's cuBLAS, called from code for a GPU.

The library is called through Python: such operations run in the process that compiled them, and no schedule
binds their loops to threads.
"""

import ctypes
import ctypes.util
import functools
import glob
import os
import sys

from ..error import LatheError
from ..runtime import register_func
from . import _blas

# Element type -> (cudaDataType, that of the result, the name of the result, cublasComputeType, the factors' type).
_TYPES = {
    "float32": (0, 0, "float32", 68, ctypes.c_float), "float64": (1, 1, "float64", 70, ctypes.c_double),
    "float16": (2, 2, "float16", 68, ctypes.c_float), "bfloat16": (14, 14, "bfloat16", 68, ctypes.c_float),
    "int8": (3, 10, "int32", 72, ctypes.c_int32),
}
_AS_IT_IS, _TRANSPOSED, _DEFAULT_ALGORITHM = 0, 1, -1


def _candidates():
    """Paths of the library that may exist."""
    chosen = os.environ.get("LATHE_CUBLAS")
    if chosen:
        yield chosen
    for folder in sys.path:  # the package nvidia-cublas
        yield from glob.glob(os.path.join(folder, "nvidia", "*", "lib", "libcublas.so.*"))
    for version in (13, 12, 11):
        yield f"libcublas.so.{version}"
    found = ctypes.util.find_library("cublas")
    if found:
        yield found


@functools.lru_cache(None)
def _library():
    """cuBLAS.

    Raises:
        LatheError: `contrib-library`: it is not installed.
    """
    why = ""
    for path in _candidates():
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            why += f"found: {error}\n"
    raise LatheError("cuBLAS is not installed on this machine", "contrib-library",
                     f"expected: the shared library libcublas.so\n{why}"
                     "help: install it, or set LATHE_CUBLAS to its path; topi.matmul needs no library")


@functools.lru_cache(None)
def _handle(device):
    """cuBLAS's handle for a GPU, whose number is `device`. It uses the default stream, as kernels do."""
    driver = ctypes.CDLL(os.environ.get("LATHE_CUDA_DRIVER") or "libcuda.so.1")
    context, handle, number = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int()
    _check("cuDeviceGet", driver.cuDeviceGet(ctypes.byref(number), device))
    _check("cuDevicePrimaryCtxRetain", driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), number))
    _check("cuCtxSetCurrent", driver.cuCtxSetCurrent(context))
    _check("cublasCreate", _library().cublasCreate_v2(ctypes.byref(handle)))
    return handle


def _check(what, status):
    if status != 0:
        raise LatheError("cuBLAS cannot multiply these matrices", "contrib-operands",
                         f"found: status {status} of {what}")


def _product(found, handle, a, b, c, transposed_a, transposed_b):
    """c = a b for tensors of one device: matrices, or batches of them."""
    kind, made_kind, _, compute, factor = _TYPES[a.dtype]
    rows, columns = c.shape[-2:]
    depth = a.shape[-2 if transposed_a else -1]
    sizes = [part.shape[-2] * part.shape[-1] for part in (a, b, c)]
    batch = c.shape[0] if len(c.shape) == 3 else 1
    # A batch of 1 is used for all products.
    steps = [0 if len(part.shape) == 2 or part.shape[0] == 1 else size for part, size in zip((a, b, c), sizes)]
    if min(*sizes, batch) == 0:
        c.copyfrom(_zeros(c))
        return
    one, zero, size, far = factor(1), factor(0), ctypes.c_int, ctypes.c_longlong
    # cuBLAS's matrices have their columns one after the other, so it computes the transposed product.
    _check("cublasGemmStridedBatchedEx", found.cublasGemmStridedBatchedEx(
        handle, size(_TRANSPOSED if transposed_b else _AS_IT_IS), size(_TRANSPOSED if transposed_a else _AS_IT_IS),
        size(columns), size(rows), size(depth), ctypes.byref(one),
        ctypes.c_void_p(b.data_ptr), size(kind), size(b.shape[-1]), far(steps[1]),
        ctypes.c_void_p(a.data_ptr), size(kind), size(a.shape[-1]), far(steps[0]), ctypes.byref(zero),
        ctypes.c_void_p(c.data_ptr), size(made_kind), size(columns), far(steps[2]), size(batch), size(compute),
        size(_DEFAULT_ALGORITHM)))


def _zeros(tensor):
    import numpy as np

    return np.zeros(tensor.shape, tensor.numpy().dtype)


@functools.lru_cache(None)
def _registered():
    """The name of the packed function that compiled code calls."""
    def run(a, b, c, transposed_a, transposed_b):
        _blas.check_shapes("cublas", a.shape, b.shape, transposed_a, transposed_b, c.shape)
        if a.device.kind != "cuda":
            raise LatheError("cuBLAS multiplies matrices in the memory of an NVIDIA GPU", "contrib-operands",
                             f"found: tensors on {a.device}\nhelp: build for the target `cuda`; contrib.cblas "
                             "multiplies on the host")
        _product(_library(), _handle(a.device.device_id), a, b, c, transposed_a, transposed_b)

    register_func("lathe.contrib.cublas.matmul", run, override=True)
    return "lathe.contrib.cublas.matmul"


def matmul(lhs, rhs, transa=False, transb=False, dtype=None):
    """The product of two matrices.

    Args:
        lhs: a tensor (rows, depth) of float16, bfloat16, float32, float64 or int8; with `transa` (depth, rows).
        rhs: a tensor (depth, columns) of the same element type; with `transb` (columns, depth).
        transa, transb: is the operand transposed?
        dtype: the result's element type: that of the operands, and int32 for int8; by default this one.

    Returns:
        A tensor (rows, columns): an extern operation.

    Raises:
        LatheError: `contrib-library`: the library is not installed; `contrib-operands`.

    Example:
        >>> import lathe
        >>> from lathe import te
        >>> from lathe.contrib import cublas
        >>> A, B = te.placeholder((2, 3), name="A"), te.placeholder((3, 4), name="B")
        >>> cublas.matmul(A, B).shape    # doctest: +SKIP
        (2, 4)
        >>> try:
        ...     cublas.matmul(B, A)
        ... except lathe.LatheError as error:
        ...     print(error.name)    # 4 columns, but 2 rows
        contrib-operands
    """
    _blas.check("cublas", tuple(_TYPES), lhs, rhs, transa, transb)
    made = _TYPES[lhs.dtype][2]
    if dtype is not None and str(dtype) != made:
        raise LatheError(f"cuBLAS's product of {lhs.dtype} is {made}", "contrib-operands",
                         f"expected: dtype {made}\nfound: {dtype}")
    _library()
    return _blas.extern_product(_registered(), lhs, rhs, transa, transb, made, {})


def batch_matmul(lhs, rhs, transa=False, transb=False, dtype=None):
    """The products of two batches of matrices.

    Args:
        lhs: a tensor (batch, rows, depth), of the element types that `matmul` takes; with `transa`
            (batch, depth, rows).
        rhs: a tensor (batch, depth, columns) of the same element type; with `transb` (batch, columns,
            depth). A batch of 1 is used for all.
        transa, transb: are the matrices of the operand transposed?
        dtype: as for `matmul`.

    Returns:
        A tensor (batch, rows, columns): an extern operation.

    Raises:
        LatheError: as `matmul`.

    Example:
        >>> from lathe import te
        >>> from lathe.contrib import cublas
        >>> A, B = te.placeholder((5, 2, 3), name="A"), te.placeholder((5, 3, 4), name="B")
        >>> cublas.batch_matmul(A, B).shape    # doctest: +SKIP
        (5, 2, 4)
    """
    return matmul(lhs, rhs, transa, transb, dtype)
