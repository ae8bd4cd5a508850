"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe._core import Device as _CoreDevice
from lathe.error import LatheTypeError as LatheTypeError

class Device(_CoreDevice):
    """A processor and its memory: lathe.cpu(0), lathe.device("cuda", 1).

    Example:
        >>> import lathe
        >>> lathe.cpu(0).kind, lathe.cpu(0).exist
        ('cpu', True)
    """
    def __repr__(self) -> str: ...
    def __str__(self) -> str: ...
    def attribute(self, name: Any) -> Any: ...
    @property
    def compute_version(self) -> Any:
        """Its architecture, such as "9.0"."""

    @property
    def device_name(self) -> Any:
        """The manufacturer's name for it."""

    @property
    def exist(self) -> bool:
        """Does the device exist on this machine, or on the machine of its session?"""

    @property
    def kind(self) -> str:
        """Its kind: "cpu", "cuda", "opencl", or a plugin's."""

    @property
    def max_clock_rate(self) -> Any:
        """The clock rate in kHz."""

    @property
    def max_shared_memory_per_block(self) -> Any:
        """The most bytes of shared memory that a block may use."""

    @property
    def max_threads_per_block(self) -> Any:
        """The most threads that a block may have (int)."""

    @property
    def multi_processor_count(self) -> Any:
        """The number of multiprocessors."""

    def sync(self) -> None: ...
    @property
    def total_memory(self) -> Any:
        """The memory in bytes."""

    @property
    def warp_size(self) -> Any:
        """The number of threads that run in lockstep."""

    @property
    def why_not(self) -> str:
        """Why the device does not exist, if a reason is known; else ""."""

    ...

def cl(dev_id: int = ...) -> Device:
    """An OpenCL device.

    Example:
        >>> import lathe
        >>> lathe.cl(0).kind
        'opencl'
    """

def cpu(dev_id: int = ...) -> Device:
    """The host's processor and memory.

    Example:
        >>> import lathe
        >>> lathe.cpu()
        device("cpu", 0)
    """

def cuda(dev_id: int = ...) -> Device:
    """An NVIDIA GPU.

    Example:
        >>> import lathe
        >>> lathe.cuda(1).device_id
        1
    """

def device(dev_type: Any, dev_id: int = ...) -> Device:
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

def ext_dev(dev_id: Any = ...) -> Any:
    """A device of the kind ext_dev; `exist` is False unless a plugin provides the kind: Lathe has none.

    Example:
        >>> import lathe
        >>> lathe.ext_dev(1).device_id
        1
    """

def hexagon(dev_id: Any = ...) -> Any:
    """A device of the kind hexagon; `exist` is False unless a plugin provides the kind: Lathe has none.

    Example:
        >>> import lathe
        >>> lathe.hexagon(1).device_id
        1
    """

def metal(dev_id: Any = ...) -> Any:
    """A device of the kind metal; `exist` is False unless a plugin provides the kind: Lathe has none.

    Example:
        >>> import lathe
        >>> lathe.metal(1).device_id
        1
    """

def rocm(dev_id: Any = ...) -> Any:
    """A device of the kind rocm; `exist` is False unless a plugin provides the kind: Lathe has none.

    Example:
        >>> import lathe
        >>> lathe.rocm(1).device_id
        1
    """

def vpi(dev_id: Any = ...) -> Any:
    """A device of the kind vpi; `exist` is False unless a plugin provides the kind: Lathe has none.

    Example:
        >>> import lathe
        >>> lathe.vpi(1).device_id
        1
    """

def vulkan(dev_id: Any = ...) -> Any:
    """A device of the kind vulkan; `exist` is False unless a plugin provides the kind: Lathe has none.

    Example:
        >>> import lathe
        >>> lathe.vulkan(1).device_id
        1
    """

def webgpu(dev_id: Any = ...) -> Any:
    """A device of the kind webgpu; `exist` is False unless a plugin provides the kind: Lathe has none.

    Example:
        >>> import lathe
        >>> lathe.webgpu(1).device_id
        1
    """
