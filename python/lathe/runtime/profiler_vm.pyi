"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.runtime.vm import VirtualMachine as VirtualMachine

class VirtualMachineProfiler(VirtualMachine):
    """A machine that also reports the time of each step of a call: a kernel, a copy.

    To be observed, results of steps that other code reads are copied, so a call takes longer than
    the sum of its steps.

    Args:
        exe, device, memory_cfg: as for `runtime.vm.VirtualMachine`.

    Attributes:
        steps: the `contrib.debugger.debug_executor.Step`s of the last call of `profile`. A step that ran several
            times, in a recursion or a loop, is there once: `calls` says how often, `nanoseconds` is the sum.

    Example:
        >>> import lathe, numpy as np
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> exe = relay.vm.compile(relay.Function([x], relay.exp(x)), "llvm")
        >>> profiler = lathe.runtime.profiler_vm.VirtualMachineProfiler(exe, lathe.cpu())
        >>> print(profiler.profile(np.zeros(2, "float32")))    # doctest: +ELLIPSIS
        step ...
        >>> [(step.function, step.location, step.calls) for step in profiler.steps]
        [('main', 'exp', 1)]
    """
    def get_stat(self, sort_by_time: Any = ...) -> Any: ...
    def profile(self, *args: Any, func_name: Any = ..., collectors: Any = ..., **kwargs: Any) -> Any: ...
    def __init__(self, exe: Any, device: Any = ..., memory_cfg: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def enabled() -> Any:
    """Can programs of the virtual machine be measured step by step? Yes.

    Example:
        >>> from lathe.runtime import profiler_vm
        >>> profiler_vm.enabled()
        True
    """
