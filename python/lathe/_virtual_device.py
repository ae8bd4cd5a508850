"""Devices of graphs with their targets, as programs for several devices name them."""

from .error import LatheTypeError
from .runtime.device import Device
from .runtime.device import device as _device


class VirtualDevice:
    """A device, the target of its code, and a memory scope.

    Args:
        device: a Device, or a text: "opencl", "cpu".
        target: text, dict, Target or None.
        memory_scope: a text; "" for the device's own memory. Values of graphs have no other.

    Attributes:
        device, target, memory_scope: as given.
        device_type, device_type_int: the number of the kind of device.
        virtual_device_id: the device's number among those of its kind.

    Example:
        >>> import lathe
        >>> from lathe import relay
        >>> where = lathe.target.VirtualDevice(lathe.cpu(1), "llvm")
        >>> where.device_type, where.virtual_device_id, where.target.kind
        (1, 1, 'llvm')
        >>> relay.annotation.on_device(relay.var("x", shape=(2,)), where).attrs.device
        'cpu:1'
    """

    def __init__(self, device, target=None, memory_scope=""):
        from .target import Target

        if isinstance(device, str):
            device = _device(device, 0)
        if not isinstance(device, Device):
            raise LatheTypeError("a virtual device must be made of a device", "relay-device",
                                 f"expected: a Device or a text\nfound: {device!r}")
        self.device, self.memory_scope = device, str(memory_scope)
        self.target = None if target is None else Target(target)

    @property
    def device_type(self):
        """The number of the kind of device."""
        return self.device.device_type

    device_type_int = device_type

    @property
    def virtual_device_id(self):
        """The device's number among those of its kind."""
        return self.device.device_id

    def __eq__(self, other):
        return isinstance(other, VirtualDevice) and self._parts() == other._parts()

    def __hash__(self):
        return hash(self._parts())

    def _parts(self):
        return self.device.device_type, self.device.device_id, self.target, self.memory_scope

    def __repr__(self):
        more = f", {self.target}" if self.target is not None else ""
        return f"VirtualDevice({self.device}{more}{', ' + self.memory_scope if self.memory_scope else ''})"
