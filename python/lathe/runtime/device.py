"""Devices: a processor and its memory."""

from .. import _core, _ffi
from ..error import LatheTypeError

_get = _ffi.get
_attribute = _get("device.attribute", True)
# Targets whose code runs on a device with another name.
_DEVICE_OF_TARGET = {"llvm": "cpu", "c": "cpu", "stackvm": "cpu", "gpu": "cuda", "nvptx": "cuda",
                     "cl": "opencl"}


class Device(_core.Device):
    """A processor and its memory: lathe.cpu(0), lathe.device("cuda", 1).

    Example:
        >>> import lathe
        >>> lathe.cpu(0).kind, lathe.cpu(0).exist
        ('cpu', True)
    """

    __slots__ = ("_keeps",)  # of a session: the session

    @property
    def exist(self):
        """Does the device exist on this machine, or on the machine of its session?"""
        return self.device_id < _get("device.count", True)(self)

    @property
    def why_not(self):
        """Why the device does not exist, if a reason is known; else ""."""
        return _get("device.why_not", True)(self)

    @property
    def kind(self):
        """Its kind: "cpu", "cuda", "opencl", or a plugin's."""
        return _get("device.kind_name")(self.device_type)

    def attribute(self, name):
        """An attribute that the device reports, such as "warp_size"; None if unknown."""
        return _attribute(self, name)

    @property
    def device_name(self):
        """The manufacturer's name for it."""
        return _attribute(self, "name")

    @property
    def max_threads_per_block(self):
        """The most threads that a block may have (int)."""
        return _attribute(self, "max_threads_per_block")

    @property
    def max_shared_memory_per_block(self):
        """The most bytes of shared memory that a block may use."""
        return _attribute(self, "max_shared_memory_per_block")

    @property
    def warp_size(self):
        """The number of threads that run in lockstep."""
        return _attribute(self, "warp_size")

    @property
    def multi_processor_count(self):
        """The number of multiprocessors."""
        return _attribute(self, "multi_processor_count")

    @property
    def max_clock_rate(self):
        """The clock rate in kHz."""
        return _attribute(self, "max_clock_khz")

    @property
    def compute_version(self):
        """Its architecture, such as "9.0"."""
        return _attribute(self, "arch")

    @property
    def total_memory(self):
        """The memory in bytes."""
        return _attribute(self, "total_memory")

    def sync(self):
        """Waits until the device has finished the work that this thread gave it."""
        _get("device.synchronize", True)(self)

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
#: {name: number} of the kinds of devices, and of targets whose device has another name.
Device.STR2MASK = {name: _get("device.kind")(_DEVICE_OF_TARGET.get(name, name))
                   for name in ("cpu", "cuda", "opencl", "vulkan", "metal", "vpi", "rocm", "hexagon", "webgpu",
                                *_DEVICE_OF_TARGET)}


def device(dev_type, dev_id=0):
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


def _of_code(name, code):
    def made(dev_id=0):
        return Device(code, dev_id)

    made.__name__ = made.__qualname__ = name
    made.__doc__ = f"""A device of the kind {name}; `exist` is False unless a plugin provides the kind: Lathe has none.

    Example:
        >>> import lathe
        >>> lathe.{name}(1).device_id
        1
    """
    return made


vulkan, metal, vpi, rocm, ext_dev, webgpu, hexagon = (_of_code(name, code) for name, code in (
    ("vulkan", 7), ("metal", 8), ("vpi", 9), ("rocm", 10), ("ext_dev", 12), ("webgpu", 15), ("hexagon", 16)))
