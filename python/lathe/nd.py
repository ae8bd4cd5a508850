"""The old name of `lathe.runtime`'s tensors and devices."""

from .runtime.device import Device, cl, cpu, cuda, device
from .runtime.tensor import NDArray, Tensor, array, empty, from_dlpack

__all__ = ["Device", "NDArray", "Tensor", "array", "cl", "cpu", "cuda", "device", "empty",
           "from_dlpack"]
