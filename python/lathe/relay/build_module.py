"""From modules to code that runs."""

import warnings

from .. import _ffi, _nodes
from .._irmodule import IRModule
from ..driver import _chosen, _compilers_named, _ready_for_cuda
from ..error import LatheTypeError, LatheValueError
from ..runtime import cpu
from ..runtime.container import ADT
from ..runtime.tensor import Tensor, array
from ..target import Target
from ..transform import PassContext
from . import _external, _pass_options, _progress
from . import expr as _e
from .annotation import device_name
from .backend.executor_factory import GraphExecutorFactoryModule

_get = _ffi.get


def _module_of(item):
    if isinstance(item, _nodes.CLASSES["Module"]):
        raise LatheTypeError("this is a module of loops", "relay-module-type",
                             "help: lathe.build compiles it")
    if isinstance(item, IRModule):
        return item
    if isinstance(item, _nodes.CLASSES["GraphModule"]):
        return IRModule.from_node(item)
    if isinstance(item, _e.Expr):
        return IRModule.from_expr(item)
    raise LatheTypeError("an IRModule or a relay.Function is needed", "relay-module-type",
                         f"found: {type(item).__name__}")


def _targets_of(target, host=None):
    """The targets as a list: those of a dict by device, of a list, or the one."""
    if isinstance(target, dict):
        found = []
        for key, one in target.items():
            chosen, name = _chosen(one), device_name(key)
            kind = _get("graph.device_kinds", True)([chosen])[0]
            if name != kind:
                raise LatheValueError(f"the target of the device `{name}` is for another one",
                                      "relay-target", f"expected: a target for `{name}`\n"
                                      f"found: `{chosen}`, which is for `{kind}`")
            found.append(chosen)
    elif isinstance(target, (list, tuple)):
        found = [_chosen(one) for one in target]
    else:
        return [_chosen(target, host)]
    if not found:
        raise LatheValueError("there is no target", "relay-target", "found: none")
    return found + ([_chosen(host)] if host is not None else [])


def bind_params_by_name(func, params):
    """A function with parameters replaced by constants of their names.

    Args:
        func: a relay.Function.
        params: {name: Tensor or array}. A Tensor's memory is shared, and must not change
            afterwards; arrays are copied. Names that are no parameters are ignored.

    Raises:
        LatheError: an array of another type or shape than its parameter (`relay-parameter`).

    Example:
        >>> import numpy as np
        >>> from lathe import relay
        >>> x, w = relay.var("x", shape=(2,)), relay.var("w", shape=(2,))
        >>> func = relay.build_module.bind_params_by_name(
        ...     relay.Function([x, w], x * w), {"w": np.ones(2, "float32")})
        >>> [p.name_hint for p in func.params]
        ['x']
    """
    named = {param.name_hint: param for param in func.params}
    binds = {}
    for name, value in dict(params or {}).items():
        param = named.get(name)
        if param is None:
            continue
        constant = value if isinstance(value, _e.Constant) else _e.const(value)
        constant = _e.Constant(constant._node, name)
        wanted = param.type_annotation
        if wanted is not None and not _fits(constant.checked_type, wanted):
            raise LatheValueError(f"the data for parameter `{name}` does not fit it",
                                  "relay-parameter",
                                  f"expected: {wanted}\nfound: {constant.checked_type}")
        binds[param] = constant
    return _e.bind(func, binds) if binds else func


def _fits(found, wanted):
    if found.dtype != wanted.dtype or len(found.shape) != len(wanted.shape):
        return False
    pairs = zip(found.concrete_shape, wanted.shape)
    return all(getattr(w, "value", None) in (None, n) for n, w in pairs)


def _for_compiler(item, params):
    """The module that the compiler gets: with parameters, and operators in the forms that a program registered."""
    from ..ir import with_attr

    module = _with_params(_module_of(item), params)
    if not with_attr("FTVMLegalize"):
        return module
    from .op._legalize import legalized

    functions = {var.name_hint: legalized(func) for var, func in module.functions.items()}
    return IRModule(functions, module.type_definitions, module.attrs)


def _with_params(module, params):
    if not params:
        return module
    functions = {var.name_hint: func for var, func in module.functions.items()}
    functions["main"] = bind_params_by_name(functions["main"], params)
    return IRModule(functions, module.type_definitions, module.attrs)


def build(ir_mod, target=None, target_host=None, executor=None, runtime=None,
          workspace_memory_pools=None, constant_memory_pools=None, params=None,
          mod_name="default", *, time_limit=None):
    """Compiles the function `main` of a module.

    The PassContext in force says which passes run: `opt_level` 0 to 3, `disabled_pass` by Lathe's
    names (`relay.transform.passes()`) or Relay's. On a terminal, a line says how many kernels are compiled.

    Args:
        ir_mod: an IRModule or a relay.Function.
        target: text or Target; by default the current target, else this processor's. Or several:
            {device: target}, `{"cpu": "llvm", "opencl": "opencl"}`, or a list. With one target,
            all runs on its device. With several, on the host, or the device that the PassContext's
            config "relay.fallback_device_type" names, and what `relay.annotation.on_device` marks
            where that says. What a device cannot run (sorting, recurrences) runs on the host; a
            UserWarning says so.
        target_host: the target of the host: its kernels, and the code that launches others.
        executor, runtime, workspace_memory_pools, constant_memory_pools: without effect: there is
            one executor, which plans memory by itself.
        params: {name: Tensor or array}: parameters of `main` that become constants.
        mod_name: the name under which the graph is found: `lib[mod_name](device)`.
        time_limit: seconds for the whole build; if it takes longer, it ends with
            `compile-time-limit`. By default the PassContext's; 0: no limit.

    Returns:
        A GraphExecutorFactoryModule: `lib["default"](device)` makes an executor,
        `lib.export_library(path)` writes a file that loads with the runtime alone.

    A function with the attribute "Compiler" (`relay.transform.PartitionGraph`) is compiled by the function
    "relay.ext.COMPILER" of the registry: relay.Function -> runtime module. (A function that is not
    Python's gets the bytes of a graph module with this one function.) The runtime module has a
    function with the name that the attribute "global_symbol" says; it gets the inputs, then memory
    for the results, as tensors.

    Raises:
        LatheError: the graph is wrong; `relay-codegen`: no such code generator, or no such function;
            `graph-target`, `relay-target`: graphs are not compiled for
            such targets; `graph-no-target`: on_device names a device without a target; the graph
            has what no plan can express (`graph-plan-unsupported`: `vm.compile` takes it).

    Example:
        >>> import lathe, numpy as np
        >>> from lathe import relay
        >>> from lathe.contrib import graph_executor
        >>> x = relay.var("x", shape=(2, 3))
        >>> lib = relay.build(relay.Function([x], relay.nn.relu(x)), "llvm")
        >>> m = graph_executor.GraphModule(lib["default"](lathe.cpu()))
        >>> m.run(x=np.full((2, 3), -1, "float32"))
        >>> m.get_output(0).numpy().tolist()
        [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    module = _for_compiler(ir_mod, params)
    if "main" not in module:
        raise LatheValueError("the module has no function `main`", "relay-no-main",
                              "found: " + (", ".join(module) or "no functions"))
    chosen = [_ready_for_cuda(one) if one.kind == "cuda" else one for one in _targets_of(target, target_host)]
    context = PassContext.current()
    options = _pass_options.packed(context, time_limit)
    fallback = context.config.get("relay.fallback_device_type")
    main = "" if fallback is None else device_name(fallback)
    plain, others = _external.compiled(module)
    with _compilers_named(), _progress.Progress() as told:
        made = _get("graph.build", True)(plain.node, "main", chosen, [*options[:-1], told], str(mod_name), main,
                                         _note)
    made._recipe = _recipe(plain, ["main"], chosen, options, main, False)
    for one in others:
        made.import_module(one)
    return GraphExecutorFactoryModule(module, chosen[0] if len(chosen) == 1 else chosen, made,
                                      str(mod_name))


def _recipe(module, functions, targets, options, main, is_program):
    """What `runtime.Module.get_source` needs to compile the kernels again as text: no instrument sees it."""
    level, disabled, _, kernels, schedules, _ = options
    kernels = [*kernels[:3], None, *kernels[4:]]
    return "llvm", lambda output: _get("graph.source", True)(
        module.node, functions, targets, [level, disabled, None, kernels, schedules, None], main, output,
        is_program)


def _note(text):
    warnings.warn(text, UserWarning, stacklevel=4)


def optimize(mod, target=None, params=None):
    """The module after the passes over graphs, before fusion, and the parameters that are left.

    Example:
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> mod, params = relay.optimize(relay.Function([x], x + (relay.const(1.0) + 2.0)), "llvm")
        >>> str(mod).count("add(")
        1
    """
    module = _for_compiler(mod, params)
    options = _pass_options.packed(PassContext.current())
    node = _get("graph.optimize", True)(module.node, _targets_of(target), options)
    return IRModule.from_node(node), {}


class Executor:
    """Runs functions of a module: `executor.evaluate()(arguments...)`.

    Example:
        >>> import numpy as np
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> executor = relay.create_executor("debug", relay.Function([x], x + x))
        >>> executor.evaluate()(np.ones(2, "float32")).numpy().tolist()
        [2.0, 2.0]
    """

    def __init__(self, kind, mod, device, target, params=None):
        self.kind, self.mod, self.device = kind, _with_params(mod, params), device
        self.target, self._params = target, params

    def evaluate(self, expr=None, binds=None):
        """A function of the arguments of `expr`, or of `main`.

        Args:
            expr: a Function, a GlobalVar of the module, or another expression without free
                variables, which is then evaluated at once.
            binds: {Var: array}, for variables of `expr`.

        Returns:
            A function: positional or named arrays -> Tensor, or a list of results for a tuple.
        """
        mod = self.mod
        if expr is not None and not (isinstance(expr, _e.GlobalVar) and expr.name_hint == "main"):
            if isinstance(expr, _e.GlobalVar):
                expr = mod[expr]
            others = {v: f for v, f in mod.functions.items() if v.name_hint != "main"}
            types = mod.type_definitions
            at_once = not isinstance(expr, _e.Function)
            if binds:
                expr = _e.bind(expr, binds)
            mod = IRModule.from_expr(expr, others, types)
            if at_once:
                return self._callable(mod)()
        return self._callable(mod)

    def _callable(self, mod):
        main = next(f for f in mod.node.functions if f.name == "main")
        # Programs run on the host; for other devices there are plans.
        on_host = self.device.device_type == 1 and len(_targets_of(self.target)) == 1
        if self.kind == "debug":
            run = self._interpreted(mod)
        elif self.kind == "vm" and on_host:
            run = self._machine(mod)
        else:
            run = self._compiled(mod)

        def call(*args, **kwargs):
            return _listed(run(_arguments(main, args, kwargs)))

        return call

    def _interpreted(self, mod):
        node = mod.node
        return lambda args: _get("graph.interpret", True)(node, "main", args)

    def _machine(self, mod):
        from ..runtime import vm
        from .backend import vm as compiler

        machine = vm.VirtualMachine(compiler.compile(mod, self.target), self.device)
        return lambda args: machine.invoke("main", *args)

    def _compiled(self, mod):
        lib = build(mod, self.target)
        if self.device.device_type == 1:
            function = lib.get_lib()["default"]
            return lambda args: function(*args)

        def run(args):
            context = lib["default"](self.device)
            for i, arg in enumerate(args):
                context["set_input"](i, arg)
            context["run"]()
            outputs = [context["get_output"](i) for i in range(context["get_num_outputs"]())]
            return outputs[0] if len(outputs) == 1 else outputs

        return run


def _arguments(function, args, kwargs):
    """The arguments in order, as tensors of the parameters' element types."""
    names = [param.name for param in function.params]
    given = dict(zip(names, args))
    if len(args) > len(names):
        raise LatheTypeError(f"`{function.name}` takes {len(names)} arguments",
                             "call-wrong-argument-count", f"found: {len(args)}")
    for key, value in kwargs.items():
        if key not in names or key in given:
            raise LatheTypeError(f"`{function.name}` has no further argument `{key}`",
                                 "graph-input-unknown", "expected: " + ", ".join(names))
        given[key] = value
    missing = [name for name in names if name not in given]
    if missing:
        raise LatheTypeError(f"arguments of `{function.name}` are missing",
                             "call-wrong-argument-count", "expected: " + ", ".join(missing))
    return [_argument(given[param.name], param.type) for param in function.params]


def _listed(result):
    """Results of a tuple as a list."""
    return [_listed(one) for one in result] if isinstance(result, (list, tuple)) else result


def _argument(value, wanted):
    if isinstance(value, (list, tuple)) and type(wanted).__name__ == "TupleType":
        return [_argument(item, field) for item, field in zip(value, wanted.fields)]
    if isinstance(value, (list, tuple, int, float)):
        return array(value, dtype=getattr(wanted, "dtype", None))
    return value if isinstance(value, (Tensor, ADT)) else array(value)


def create_executor(kind="debug", mod=None, device=None, target="llvm", params=None):
    """An Executor.

    Args:
        kind: "graph": compiled, by `build`. "vm": compiled, by `vm.compile`: also functions that call
            themselves, closures and data types; for other devices than the host, as "graph".
            "debug": interpreted.
        mod: an IRModule or a relay.Function.
        device: where the graph runs, if `target` is for such a device; None for the host.
        target: as for `build`.
        params: as for `build`.

    Raises:
        LatheValueError: `relay-executor-kind`; `graph-device` for a device that the target is not
            for.

    Example:
        >>> import numpy as np
        >>> from lathe import relay
        >>> x = relay.var("x", shape=(2,))
        >>> run = relay.create_executor("graph", relay.Function([x], x * 3.0)).evaluate()
        >>> run(np.ones(2, "float32")).numpy().tolist()
        [3.0, 3.0]
    """
    if kind not in ("graph", "vm", "debug", "aot"):
        raise LatheValueError(f"there is no executor `{kind}`", "relay-executor-kind",
                              "expected: graph, vm or debug")
    if device is None:
        device = cpu(0)
    kinds = ["cpu"]
    if kind != "debug":
        kinds += _get("graph.device_kinds", True)(_targets_of(target))
    if getattr(device, "kind", "cpu") not in kinds:
        raise LatheValueError("the graph is not for this device", "graph-device",
                              f"expected: {', '.join(dict.fromkeys(kinds))}\nfound: {device}\n"
                              "help: give a target for the device")
    mod = IRModule() if mod is None else _module_of(mod)
    return Executor(kind, mod, device, Target(target) if isinstance(target, str) else target,
                    params)
