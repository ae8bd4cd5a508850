"""The old name of `lathe.runtime`'s tensors and devices."""

from .runtime.device import Device, cl, cpu, cuda, device, ext_dev, hexagon, metal, rocm, vpi, vulkan, webgpu
from .runtime.tensor import NDArray, Tensor, array, empty, from_dlpack

__all__ = ["Device", "NDArray", "Tensor", "array", "cl", "cpu", "cuda", "device", "empty",
           "ext_dev", "from_dlpack", "hexagon", "metal", "rocm", "vpi", "vulkan", "webgpu"]
