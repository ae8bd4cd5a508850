"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.runtime.device import Device as Device
from lathe.error import LatheTypeError as LatheTypeError

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
    def __eq__(self, other: Any) -> Any: ...  # type: ignore[override]
    def __repr__(self) -> str: ...
    @property
    def device_type(self) -> Any:
        """The number of the kind of device."""

    @property
    def device_type_int(self) -> Any:
        """The number of the kind of device."""

    @property
    def virtual_device_id(self) -> Any:
        """The device's number among those of its kind."""

    def __init__(self, device: Any, target: Any = ..., memory_scope: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...
