"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe._core import Device as _CoreDevice
from lathe.error import LatheTypeError as LatheTypeError

class Device(_CoreDevice):
    """Which memory and which processor: lathe.cpu(0), lathe.device("cuda", 1).

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
        """The name its maker gave it."""

    @property
    def exist(self) -> bool:
        """Is there such a device on this machine or, of a session, on the session's?"""

    @property
    def kind(self) -> str:
        """Its kind: "cpu", "cuda", "opencl", or a plugin's."""

    @property
    def max_clock_rate(self) -> Any:
        """In kHz."""

    @property
    def max_shared_memory_per_block(self) -> Any:
        """Bytes of shared memory that a block may use."""

    @property
    def max_threads_per_block(self) -> Any:
        """How many threads a block may have (int)."""

    @property
    def multi_processor_count(self) -> Any:
        """How many processors it has."""

    def sync(self) -> None: ...
    @property
    def total_memory(self) -> Any:
        """In bytes."""

    @property
    def warp_size(self) -> Any:
        """How many threads run in step."""

    @property
    def why_not(self) -> str:
        """Why there is none, where something says so; else ""."""

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
        dev_type: a kind ("cpu", "cuda", "opencl"), a target ("llvm -mcpu=...", Target), "cuda:1",
            or DLPack's number.
        dev_id: which one of the kind.

    Example:
        >>> import lathe
        >>> lathe.device("cpu", 0).exist
        True
    """
