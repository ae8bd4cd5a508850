"""Compiling modules of functions for the virtual machine: `lathe.runtime.vm`."""

from ... import _ffi
from ...driver import _compilers_named
from ...error import LatheValueError
from ...runtime import vm as _vm
from ...transform import PassContext
from .. import _external, _pass_options, _progress

_get = _ffi.get


def compile(mod, target=None, target_host=None, params=None):
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
    compiler = VMCompiler()
    if params:
        compiler.set_params(params)
    compiler.lower(mod, target, target_host)
    compiler.codegen()
    return compiler.get_exec()


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

    def __init__(self):
        self._params, self._made, self._module = {}, None, None

    def set_params(self, params):
        """Parameters of `main` that become constants: {name: Tensor or array}."""
        self._params.update(params)

    def get_params(self):
        """The parameters that were set."""
        return dict(self._params)

    def lower(self, mod, target=None, target_host=None):
        """Compiles a module."""
        from .. import build_module as _build

        module = _build._for_compiler(mod, self._params)
        if "main" not in module:
            raise LatheValueError("the module has no function `main`", "relay-no-main",
                                  "found: " + (", ".join(module) or "no functions"))
        options = _pass_options.packed(PassContext.current(), None)
        plain, others = _external.compiled(module)
        targets = _build._targets_of(target, target_host)
        with _compilers_named(), _progress.Progress() as told:
            self._made = _get("graph.build_program", True)(plain.node, ["main"], targets, [*options[:-1], told],
                                                           "default")
        self._made._recipe = _build._recipe(plain, ["main"], targets, options, "", True)
        for one in others:
            self._made.import_module(one)

    def optimize(self, mod, target=None, target_host=None, params=None):
        """The module after the passes over graphs, and the parameters that are left."""
        from .. import build_module as _build

        return _build.optimize(mod, target, {**self._params, **dict(params or {})})

    def codegen(self):
        """Without effect: `lower` makes the code."""

    def get_exec(self):
        """The Executable.

        Raises:
            LatheValueError: `vm-program` before `lower`.
        """
        if self._made is None:
            raise LatheValueError("nothing is compiled yet", "vm-program", "help: call lower first")
        return _vm.Executable(self._made)
