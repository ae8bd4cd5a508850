"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError
from lathe.transform import PassContext as PassContext

class VMCompiler:
    """The steps of `compile`: `set_params`, `lower`, `codegen`, `get_exec`.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> compiler = relay.vm.VMCompiler()
        >>> compiler.lower(relay.Function([x], x + x), "llvm")
        >>> compiler.codegen()
        >>> compiler.get_exec().globals
        ['main']
    """
    def codegen(self) -> Any: ...
    def get_exec(self) -> Any: ...
    def get_params(self) -> Any: ...
    def lower(self, mod: Any, target: Any = ..., target_host: Any = ...) -> Any: ...
    def optimize(self, mod: Any, target: Any = ..., target_host: Any = ..., params: Any = ...) -> Any: ...
    def set_params(self, params: Any) -> Any: ...
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def compile(mod: Any, target: Any = ..., target_host: Any = ..., params: Any = ...) -> Any:
    """Compiles the function `main` of a module, and what it calls.

    Unlike `relay.build`, functions may call themselves, be values, and use data types. What is not
    recursive becomes part of its callers.

    Args:
        mod: an IRModule or a relay.Function.
        target: text, dict or Target for a processor; by default the current target, else this
            processor's.
        target_host: the target of the code that launches kernels.
        params: {name: Tensor or array}: parameters of `main` that become constants.

    Returns:
        A `runtime.vm.Executable`.

    Raises:
        LatheError: the graph is wrong, or the target makes no code for hosts.

    Example:
        >>> import lathe, numpy as np
        >>> from lathe import relay
        >>> p = relay.prelude.Prelude()
        >>> x = relay.var("x", shape=())
        >>> p.mod["main"] = relay.Function([x], p.map(
        ...     relay.Function([h := relay.var("h", shape=())], h + h),
        ...     p.cons(x, p.nil())))
        >>> vm = lathe.runtime.vm.VirtualMachine(relay.vm.compile(p.mod, "llvm"), lathe.cpu())
        >>> float(vm.run(np.float32(3))[0].numpy())
        6.0
    """
