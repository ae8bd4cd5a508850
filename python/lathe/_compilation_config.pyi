"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.target import Target as Target
from lathe._virtual_device import VirtualDevice as VirtualDevice
from lathe.runtime.device import cpu as cpu
from lathe.runtime.device import device as device

class CompilationConfig:
    """The targets that a graph is compiled for.

    Attributes:
        primitive_targets: the Targets of kernels, one for each device.
        host_target: the Target of the host.
        host_virtual_device: the host, a VirtualDevice.
        default_primitive_virtual_device: where a call runs that nothing says it of.

    Example:
        >>> import lathe
        >>> config = lathe.target.make_compilation_config(lathe.transform.PassContext(), "llvm")
        >>> [str(target.kind) for target in config.primitive_targets], str(config.host_target.kind)
        (['llvm'], 'llvm')
    """
    def __init__(self, primitive_targets: Any, host_target: Any, default: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def make_compilation_config(ctxt: Any, target: Any, target_host: Any = ...) -> Any:
    """The CompilationConfig for targets.

    Args:
        ctxt: the PassContext whose config "relay.fallback_device_type" says where calls run that
            nothing says it of; by default the host, or the device of the only target.
        target: text, dict or Target, a list of them, or {device: target}.
        target_host: the target of the host; by default the one of `target` that is for CPUs, or "llvm".

    Raises:
        LatheError: a target is wrong (`relay-target`, ...).

    Example:
        >>> import lathe
        >>> made = lathe.target.make_compilation_config(lathe.transform.PassContext(), {"cpu": "llvm"})
        >>> made.default_primitive_virtual_device.device
        device("cpu", 0)
    """
