"""Functions over other libraries' tensors. Compiled functions take those tensors themselves: nothing is converted."""

from ..runtime.tensor import from_dlpack


def convert_func(tvm_func, tensor_type, to_dlpack_func):
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
    assert callable(tvm_func)

    class Lent:
        def __init__(self, tensor):
            self._tensor = tensor

        def __dlpack__(self, **_):
            return to_dlpack_func(self._tensor)

        def __dlpack_device__(self):
            return self._tensor.__dlpack_device__()

    def converted(*args):
        return tvm_func(*[from_dlpack(Lent(arg)) if isinstance(arg, tensor_type) else arg for arg in args])

    return converted


def to_pytorch_func(tvm_func):
    """A function like `tvm_func` that takes PyTorch's tensors: compiled functions do so by themselves.

    Example:
        >>> from lathe.contrib import dlpack
        >>> dlpack.to_pytorch_func(lambda x: x + 1)(2)
        3
    """
    def call(*args):
        return tvm_func(*args)

    return call
