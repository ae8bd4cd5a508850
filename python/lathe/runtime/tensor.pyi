"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe._core import Tensor as _CoreTensor
from lathe.error import LatheIndexError as LatheIndexError
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError
from lathe.error import nearest_type as nearest_type

class Tensor(_CoreTensor):
    """Device memory with a shape, strides and an element type.

    Shares memory with NumPy, PyTorch and every library that supports DLPack or the buffer protocol:
    `np.asarray(t)`, `torch.from_dlpack(t)`, `lathe.runtime.from_dlpack(array)`. Compiled functions
    take tensors and such arrays alike.

    Example:
        >>> import lathe, numpy as np
        >>> t = lathe.nd.array(np.arange(6, dtype="float32").reshape(2, 3))
        >>> t.shape, t[1, 1:].numpy().tolist()
        ((2, 3), [4.0, 5.0])
    """
    def __float__(self) -> float: ...
    def __getitem__(self, index: Any) -> Any: ...
    def __int__(self) -> int: ...
    def __iter__(self) -> Any: ...
    def __len__(self) -> int: ...
    def __repr__(self) -> str: ...
    def __setitem__(self, index: Any, value: Any) -> Any: ...
    def asnumpy(self) -> Any: ...
    def copyfrom(self, source: Any) -> Any: ...
    def copyto(self, target: Any, mem_scope: Any = ...) -> Any: ...
    @property
    def ctx(self) -> Any:
        """The old name of `device`."""

    def item(self) -> Any: ...
    @property
    def nbytes(self) -> Any:
        """The bytes of the elements in compact form."""

    def numpy(self) -> Any: ...
    def reshape(self, shape: Any) -> Any: ...
    def same_as(self, other: Any) -> Any: ...
    def to_dlpack(self) -> Any: ...
    def transpose(self, axes: Any = ...) -> Any: ...
    ...

NDArray = Tensor

def array(arr: Any, device: Any = ..., mem_scope: Any = ..., dtype: Any = ...) -> Tensor:
    """A tensor with a copy of the elements of an array, list or number.

    Args:
        arr: a NumPy array, a tensor, nested lists or a number. Lists have NumPy's types: of floats float64.
        device: the tensor's device; the host by default.
        mem_scope: a memory scope of the device.
        dtype: the element type; that of `arr` by default.

    Example:
        >>> import lathe, numpy as np
        >>> lathe.nd.array(np.arange(3, dtype="float32")).numpy().tolist()
        [0.0, 1.0, 2.0]
    """

def empty(shape: Any, dtype: Any = ..., device: Any = ..., mem_scope: Any = ...) -> Tensor:
    """A tensor with uninitialized elements.

    Args:
        shape: the extents (int), or a single extent.
        dtype: the element type.
        device: the tensor's device; the host by default.
        mem_scope: a memory scope of the device.

    Example:
        >>> import lathe
        >>> lathe.nd.empty((2, 3), "int8").nbytes
        6
    """

def from_dlpack(array: Any) -> Tensor:
    """A tensor that shares the memory of an array: NumPy's, PyTorch's, or any with DLPack.

    Read-only arrays give read-only tensors.

    Raises:
        LatheError, TypeError, ValueError: not an array; an array that requires gradients, or whose
            conjugation is pending.

    Example:
        >>> import lathe, numpy as np
        >>> a = np.zeros(3, "float32")
        >>> t = lathe.from_dlpack(a)
        >>> a[0] = 7
        >>> t[0].item()
        7.0
    """
