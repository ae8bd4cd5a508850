"""Profiles of programs of the virtual machine, which are not taken: `VirtualMachine.benchmark` measures calls."""


def enabled():
    """Can programs of the virtual machine be profiled instruction by instruction? No.

    Example:
        >>> from lathe.runtime import profiler_vm
        >>> profiler_vm.enabled()
        False
    """
    return False

from .. import _old_modules  # noqa: E402

_old_modules.attend(__name__)
