"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.runtime.device import Device as Device
from lathe.runtime.tensor import Tensor as Tensor
from lathe.runtime.device import cl as cl
from lathe.runtime.device import cpu as cpu
from lathe.runtime.device import cuda as cuda
from lathe.runtime.device import device as device
from lathe.runtime.device import ext_dev as ext_dev
from lathe.runtime.tensor import from_dlpack as from_dlpack
from lathe.runtime.device import hexagon as hexagon
from lathe.runtime.device import metal as metal
from lathe.runtime.device import rocm as rocm
from lathe.runtime.device import vpi as vpi
from lathe.runtime.device import vulkan as vulkan
from lathe.runtime.device import webgpu as webgpu

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

def context(dev_type: Any, dev_id: int = ...) -> Device:
    """A device.

    Args:
        dev_type: a kind ("cpu", "cuda", "opencl"), a target ("llvm -mcpu=...", Target), a kind with
            a number ("cuda:1"), or DLPack's number of the kind.
        dev_id: the number of the device among those of its kind.

    Example:
        >>> import lathe
        >>> lathe.device("cpu", 0).exist
        True
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
