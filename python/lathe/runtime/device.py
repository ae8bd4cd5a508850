"""Devices: which memory and which processor."""

from .. import _core, _ffi
from ..error import LatheTypeError

_get = _ffi.get
_attribute = _get("device.attribute")
# Targets whose code runs on a device of another name.
_DEVICE_OF_TARGET = {"llvm": "cpu", "c": "cpu", "stackvm": "cpu", "gpu": "cuda", "nvptx": "cuda",
                     "cl": "opencl"}


class Device(_core.Device):
    """Which memory and which processor: lathe.cpu(0), lathe.device("cuda", 1).

    Example:
        >>> import lathe
        >>> lathe.cpu(0).kind, lathe.cpu(0).exist
        ('cpu', True)
    """

    __slots__ = ()

    @property
    def exist(self):
        """Is there such a device on this machine or, of a session, on the session's?"""
        return self.device_id < _get("device.count")(self)

    @property
    def why_not(self):
        """Why there is none, where something says so; else ""."""
        return _get("device.why_not")(self)

    @property
    def kind(self):
        """Its kind: "cpu", "cuda", "opencl", or a plugin's."""
        return _get("device.kind_name")(self.device_type)

    def attribute(self, name):
        """What the device says of itself, such as "warp_size"; None where it does not say."""
        return _attribute(self, name)

    @property
    def device_name(self):
        """The name its maker gave it."""
        return _attribute(self, "name")

    @property
    def max_threads_per_block(self):
        """How many threads a block may have (int)."""
        return _attribute(self, "max_threads_per_block")

    @property
    def max_shared_memory_per_block(self):
        """Bytes of shared memory that a block may use."""
        return _attribute(self, "max_shared_memory_per_block")

    @property
    def warp_size(self):
        """How many threads run in step."""
        return _attribute(self, "warp_size")

    @property
    def multi_processor_count(self):
        """How many processors it has."""
        return _attribute(self, "multi_processor_count")

    @property
    def max_clock_rate(self):
        """In kHz."""
        return _attribute(self, "max_clock_khz")

    @property
    def compute_version(self):
        """Its architecture, such as "9.0"."""
        return _attribute(self, "arch")

    @property
    def total_memory(self):
        """In bytes."""
        return _attribute(self, "total_memory")

    def sync(self):
        """Waits for the work that this thread gave the device."""
        _get("device.synchronize")(self)

    def __str__(self):
        return _get("device.text")(self)

    def __repr__(self):
        local = f'device("{self.kind}", {self.device_id})'
        return local if self.session == 0 else f"<{local} of session {self.session}>"

    def __reduce__(self):
        if self.session != 0:
            raise LatheTypeError("a device of a session cannot be pickled", "device-pickled",
                                 f"found: {self}\nhelp: pickle its kind and number, and ask the "
                                 "other process's session for the device")
        return (device, (self.kind, self.device_id))


_core.register_device_class(Device)


def device(dev_type, dev_id=0):
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
    if isinstance(dev_type, int) and not isinstance(dev_type, bool):
        return Device(dev_type, dev_id)
    words = str(dev_type).split()
    name = words[0] if words else ""
    name = _DEVICE_OF_TARGET.get(name, name)
    if ":" in name:
        return _get("device.parse")(name)
    return Device(_get("device.kind")(name), dev_id)


def cpu(dev_id=0):
    """The host's processor and memory.

    Example:
        >>> import lathe
        >>> lathe.cpu()
        device("cpu", 0)
    """
    return Device(1, dev_id)


def cuda(dev_id=0):
    """An NVIDIA GPU.

    Example:
        >>> import lathe
        >>> lathe.cuda(1).device_id
        1
    """
    return Device(2, dev_id)


def cl(dev_id=0):
    """An OpenCL device.

    Example:
        >>> import lathe
        >>> lathe.cl(0).kind
        'opencl'
    """
    return Device(4, dev_id)
