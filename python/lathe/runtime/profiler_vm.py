"""Times of the steps of programs, which the virtual machine runs."""

from . import vm


def enabled():
    """Can programs of the virtual machine be measured step by step? Yes.

    Example:
        >>> from lathe.runtime import profiler_vm
        >>> profiler_vm.enabled()
        True
    """
    return True


class VirtualMachineProfiler(vm.VirtualMachine):
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

    def __init__(self, exe, device=None, memory_cfg=None):
        super().__init__(exe, device, memory_cfg)
        self.steps = []

    def profile(self, *args, func_name="main", collectors=None, **kwargs):
        """Calls a function, and returns the times of its steps as a text, as `GraphModuleDebug.profile` does.

        Args:
            args, kwargs: its arguments, as for `invoke`; without any, those that `set_input` set.
            func_name: its name.
            collectors: without effect: the time of each step is what there is.
        """
        from ..contrib.debugger.debug_executor import Step

        if func_name in self._set and not args and not kwargs:
            given = self._set[func_name]
        else:
            given = self._arguments(func_name, args, kwargs)
        found = {}

        def report(function, index, location, kernel, nanoseconds, tensors):
            key = function, index, location, kernel
            if key in found:
                found[key].nanoseconds += nanoseconds
                found[key].calls += 1
                return
            device = tensors[0].device if tensors else None
            found[key] = Step(len(found), location, kernel, nanoseconds, [tuple(one.shape) for one in tensors], device,
                              function)

        self.module["invoke_observed"](func_name, report, *given)
        self.steps = list(found.values())
        return self.get_stat()

    def get_stat(self, sort_by_time=True):
        """The steps of the last call of `profile` as a text, the longest first.

        Args:
            sort_by_time: False: in the order in which they ran first.
        """
        from ..contrib.debugger.debug_executor import table_of

        return table_of(self.steps, sort_by_time)


from .. import _old_modules  # noqa: E402

_old_modules.attend(__name__)
