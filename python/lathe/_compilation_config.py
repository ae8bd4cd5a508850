"""The targets and devices of a compilation, as `relay.transform.PlanDevices` takes them."""

from ._virtual_device import VirtualDevice
from .runtime.device import cpu, device
from .target import Target


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

    def __init__(self, primitive_targets, host_target, default):
        self.primitive_targets, self.host_target = list(primitive_targets), host_target
        self.host_virtual_device = VirtualDevice(cpu(), host_target)
        self.default_primitive_virtual_device = default


def make_compilation_config(ctxt, target, target_host=None):
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
    from .relay.annotation import device_name
    from .relay.build_module import _targets_of

    targets = _targets_of(target, target_host)
    host = next((one for one in targets if str(one.kind) in ("llvm", "c")), targets[0].host)
    fallback = ctxt.config.get("relay.fallback_device_type")
    if fallback is not None:
        place = device(device_name(fallback))
    else:
        place = device(str(targets[0].kind)) if len(targets) == 1 else cpu()
    own = next((one for one in targets if device(str(one.kind)).kind == place.kind), host)
    host = host or Target("llvm")
    return CompilationConfig(targets, host, VirtualDevice(place, own))
