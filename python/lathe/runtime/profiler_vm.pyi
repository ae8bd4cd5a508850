"""Written by python/stubs/make_stubs.py."""

from typing import Any

def enabled() -> Any:
    """Can programs of the virtual machine be profiled instruction by instruction? No.

    Example:
        >>> from lathe.runtime import profiler_vm
        >>> profiler_vm.enabled()
        False
    """
