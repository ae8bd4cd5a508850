"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.runtime.tensor import from_dlpack as from_dlpack

def convert_func(tvm_func: Any, tensor_type: Any, to_dlpack_func: Any) -> Any:
    """A function like `tvm_func` whose arguments of `tensor_type` are given to it through DLPack.

    Args:
        tvm_func: a function or module.
        tensor_type: the class of the other library's tensors.
        to_dlpack_func: gives the DLPack capsule of one of them.

    Example:
        >>> import numpy as np
        >>> from lathe.contrib import dlpack
        >>> shape_of = dlpack.convert_func(lambda x: x.shape, np.ndarray, lambda x: x.__dlpack__())
        >>> shape_of(np.zeros((2, 3), "float32"))
        (2, 3)
    """

def to_pytorch_func(tvm_func: Any) -> Any:
    """A function like `tvm_func` that takes PyTorch's tensors: compiled functions do so by themselves.

    Example:
        >>> from lathe.contrib import dlpack
        >>> dlpack.to_pytorch_func(lambda x: x + 1)(2)
        3
    """
