"""lower, build; `_explain` has explain and bisect."""

import sys
import time
import warnings

from . import _ffi, _nodes, _places
from .error import LatheTypeError, LatheValueError
from .target import Target
from .te.schedule import Schedule, output_ops
from .transform import PassContext, _checked_time_limit

_get = _ffi.get
_lower, _build = _get("driver.lower", True), _get("driver.build", True)


def _arguments(args):
    if args is None:
        raise LatheValueError("the function's arguments are missing", "lower-arguments",
                              "help: lathe.lower(s, [A, B, C])")
    if not isinstance(args, (list, tuple)):
        raise LatheTypeError("the function's arguments must be a list", "lower-arguments-type",
                             f"found: {type(args).__name__}")
    return list(args)


class _Clock:
    """The pass context for all C++ calls of one Python call. They share one time limit.

    `about` is what the user passed: notes are about the hints of the user's own schedule.
    """

    def __init__(self, time_limit, about, isolate=None):
        self._noted = isinstance(about, Schedule)
        self.context = PassContext.current()
        self._isolate = isolate
        self._limit = self.context.time_limit if time_limit is None \
            else _checked_time_limit(time_limit)
        self._begun = time.monotonic()

    def packed(self, note=None):
        return self.context.packed(self._limit, time.monotonic() - self._begun,
                                    self._isolate, note if self._noted else None)


def _lowered(schedule, args, name, clock, binds):
    """Lowers. Errors show the user's lines that they are about; notes are warnings."""
    notes = []
    with _places.about(schedule):
        lowered = _places.made_of(_lower(schedule, args, name, clock.packed(notes.append), binds),
                                  schedule)
    for note in notes:
        _warn(note)
    return lowered


def _warn(text):
    """A UserWarning at the first line outside of this package."""
    frame, depth = sys._getframe(1), 2
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == __package__:
        frame, depth = frame.f_back, depth + 1
    warnings.warn(text, UserWarning, stacklevel=depth)


def _packed_binds(binds):
    """[[tensor, buffer]...]"""
    binds = binds or {}
    tensor, buffer = _nodes.CLASSES["Tensor"], _nodes.CLASSES["Buffer"]
    if not isinstance(binds, dict) or not all(
            isinstance(key, tensor) and isinstance(value, buffer) for key, value in binds.items()):
        raise LatheTypeError("binds must be a dict from tensors to buffers", "lower-binds-type",
                             "help: binds={A: tir.decl_buffer(A.shape, A.dtype, strides=[te.var(), 1])}")
    return [[key, value] for key, value in binds.items()]


def _chosen(target, host=None):
    target = target if target is not None else Target.current()
    return Target(target if target is not None else _get("target.of_this_machine")(), host)


def default_schedule(ops, target=None, config=None):
    """The default schedule of a program that has none. Its steps are in `.trace`.

    For processors: cheap operations without a reduction are inlined, reductions run in vectors,
    products and convolutions in register tiles, large loops on all threads. For targets with their
    own threads: a thread for each element of a result. `lathe.topi.schedule` gives the
    same schedule, and also says which operators it found and which knobs it has.

    Args:
        ops: an operation (`C.op`), a tensor, or a list of them.
        target: text, dict or Target; by default the current target, else this processor's.
        config: values of knobs by name, `{"gemm.tile_rows": 6}`, as for `lathe.topi.schedule`.

    Returns:
        A Schedule. More primitives may be applied to it.

    Example:
        >>> import lathe
        >>> from lathe import te
        >>> A = te.placeholder((64, 4096), name="A")
        >>> B = te.compute((64, 4096), lambda i, j: A[i, j] + 1.0, name="B")
        >>> "vectorize" in str(lathe.default_schedule(B).trace)
        True
    """
    return _scheduled_by_topi(ops, target, config)[0]


def _scheduled_by_topi(ops, target, config):
    """[schedule, choices, knobs], as python/ffi/topi.cc returns them."""
    if config is not None and not isinstance(config, dict):
        raise LatheTypeError("a configuration must be a dict of knobs", "topi-config-type",
                             f"found: {type(config).__name__}\nhelp: {{\"gemm.tile_rows\": 6}}")
    return _get("topi.schedule")(output_ops(ops), _chosen(target),
                                 [[name, value] for name, value in (config or {}).items()])


def workload_key(args, target=None):
    """A key that identifies the program behind `args`, whatever names it uses.

    For one target, two programs have the same key if they differ only in the names of tensors,
    axes, variables and buffers, or in the order in which their operations were made. Schedules do
    not affect the key.

    Args:
        args: the function's arguments, as for `lathe.lower`: tensors, and variables that are sizes.
        target: text, dict or Target; by default the current target, else this processor's.

    Returns:
        32 hexadecimal digits.

    Example:
        >>> import lathe
        >>> from lathe import te
        >>> def double(name):
        ...     A = te.placeholder((64,), name=name)
        ...     return [A, te.compute((64,), lambda i: A[i] * 2.0, name="twice_" + name)]
        >>> lathe.workload_key(double("x")) == lathe.workload_key(double("data"))
        True
    """
    return _get("driver.workload_key")(_arguments(args), _chosen(target))


def _scheduled(inputs, args, target):
    """For tensors without a schedule: the default schedule, and the tensors as arguments."""
    tensor = _nodes.CLASSES["Tensor"]
    if args is not None or not isinstance(inputs, (list, tuple)):
        return inputs, args
    computed = [item for item in inputs if isinstance(item, tensor)
                and not isinstance(item.op, _nodes.CLASSES["PlaceholderOp"])]
    if not computed:
        return inputs, args
    return default_schedule(computed, target), list(inputs)


def lower(inp, args=None, name="main", binds=None, simple_mode=False, *, time_limit=None):
    """Turns a schedule into a module of loops, which prints as readable text.

    Args:
        inp: a Schedule; or tensors and variables in calling order, outputs included, which get the
            default schedule (`default_schedule`); or a function or module, which is returned as a
            module.
        args: if `inp` is a schedule: tensors and variables in calling order, outputs included.
        name: the function's name.
        binds: {tensor: buffer} for tensor arguments that are not compact, such as slices: buffers
            from `tir.decl_buffer` with `strides`, `elem_offset`, `offset_factor` or
            `data_alignment`. Numbers are checked at each call, variables take the argument's values.
            The parameter keeps the tensor's name. If an input and a result have the same buffer,
            they are one parameter, which the function replaces: for maps that read each element of
            the input only for their own.
        simple_mode: give the loop nest of the schedule alone, before any pass. Outputs that `args`
            lacks become the last parameters.
        time_limit: seconds; if lowering takes longer, it ends with `compile-time-limit`. 0: no
            limit, the default. The context (`transform.PassContext`) may set another default.

    Returns:
        A Module. `print` shows its text, notebooks show it in colours.

    Raises:
        LatheError: the schedule is wrong; the error names the axes and stages.

    Example:
        >>> import lathe
        >>> from lathe import te, tir
        >>> A = te.placeholder((4,), name="A")
        >>> B = te.compute((4,), lambda i: A[i] * 2.0, name="B")
        >>> text = str(lathe.lower(te.create_schedule(B.op), [A, B]))
        >>> every = tir.decl_buffer(A.shape, A.dtype, strides=[te.var("step")])
        >>> "strides=[step: int32]" in str(lathe.lower(te.create_schedule(B.op), [A, B], binds={A: every}))
        True
    """
    return _lower_within(_Clock(time_limit, inp), inp, args, name, binds, simple_mode)


def _refuse_binds(binds, inputs):
    if binds:
        raise LatheValueError("only a schedule's arguments can be bound to buffers", "lower-binds",
                              f"found: {type(inputs).__name__}\nhelp: leave `binds` out")


def _lower_within(clock, inp, args, name, binds=None, simple_mode=False):
    binds = _packed_binds(binds)
    inp, args = _scheduled(inp, args, None)
    if not isinstance(inp, Schedule):
        _refuse_binds(binds, inp)
    if isinstance(inp, _nodes.CLASSES["Module"]):
        return inp
    if isinstance(inp, _nodes.CLASSES["Func"]):
        return _nodes.CLASSES["Module"]([inp])
    if not isinstance(inp, Schedule):
        raise LatheTypeError("lower takes a schedule, a function or a module", "lower-input-type",
                             f"found: {type(inp).__name__}")
    args = _arguments(args)
    if simple_mode:
        made = [op.output(i) for op in inp.outputs for i in range(op.num_outputs)]
        # A primitive may have replaced the operation of an argument.
        given = [inp[arg].op.output(arg.value_index) for arg in args
                 if isinstance(arg, _nodes.CLASSES["Tensor"])]
        args = args + [one for one in made if not any(one == arg for arg in given)]
        with _places.about(inp):
            return _nodes.CLASSES["Module"]([_get("schedule.loop_nest")(inp, args, name, binds)])
    return _lowered(inp, args, name, clock, binds)


def _ready_for_cuda(target):
    """Finds the compiler of installed nvidia packages, and an architecture if no device gives one.

    Without a device the code is for the oldest architecture that the compiler supports. Newer ones
    run it as well.
    """
    import os
    import sys

    if not any(v in os.environ for v in ("LATHE_CUDA_HOME", "CUDA_HOME", "CUDA_PATH")):
        for folder in sys.path:
            home = os.path.join(folder, "nvidia", "cu13")
            if os.path.isabs(home) and os.path.isdir(os.path.join(home, "lib")):
                os.environ["LATHE_CUDA_HOME"] = home
                break
    if target.attrs.get("arch"):
        return target
    from .runtime.device import cuda

    return target if cuda(0).exist else Target(f"{target} -arch={OLDEST_CUDA}")


def schedule_to_module(sch, args=None, name="main", binds=None):
    """The loops of a schedule as a module, before any pass: `lower(..., simple_mode=True)`.

    Args:
        sch, args, name, binds: as for `lower`.

    Example:
        >>> import lathe
        >>> from lathe import te
        >>> A = te.placeholder((4,), name="A")
        >>> B = te.compute((4,), lambda i: A[i] + 1.0, name="B")
        >>> len(lathe.driver.schedule_to_module(te.create_schedule(B.op), [A, B]))
        1
    """
    return lower(sch, args, name, binds, simple_mode=True)


class _compilers_named:
    """Within it, an error about a missing compiler says which wheel brings the compiler."""

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        if getattr(error, "name", "") == "cuda-no-compiler":
            error.notes += '\nhelp: or install this package as `lathe-....whl[cuda]`, which brings them'
        return False


#: The architecture of target `cuda` on a machine without a GPU.
OLDEST_CUDA = "sm_75"


def build(inputs, args=None, target=None, target_host=None, runtime=None, name="main", binds=None, *,
          time_limit=None, isolate=None):
    """Compiles a schedule, function or module into this process.

    Compiles the functions of a module in parallel, on several threads. If any process of this user
    has compiled the same code before, the result comes from the compile cache. LATHE_CACHE=0
    disables the cache.

    Args:
        inputs: a Schedule; or tensors in calling order, for the default schedule; or a result of
            `lower`, whose functions may have a target each, the attribute "target" (a Target or text); or
            a dict from targets to results of `lower`.
        args: as for `lower`, if `inputs` is a schedule; not for a dict.
        target: text, dict or Target; by default that of the functions of `inputs`, the current target,
            else this processor's. Without meaning for a dict from targets.
        target_host: the target of the code that launches kernels.
        runtime: a `relay.backend.Runtime` or None, without effect: there is one.
        name: the function's name, if `inputs` is a schedule or tensors; functions have theirs.
        binds: as for `lower`, if `inputs` is a schedule or tensors.
        time_limit: seconds for the whole build; if it takes longer, it ends with
            `compile-time-limit`, as for `lower`.
        isolate: True: code generators run in their own process. If that process ends, as with LLVM
            when memory runs out, the error is `out-of-memory` or `compile-child-ended`, and this
            process goes on. None: as the PassContext says; its default is False.

    Returns:
        A runtime.Module; `module(a, b)` calls its entry function with tensors or arrays. With several
        targets, the module of the first one for processors imports those of the others.

    Raises:
        LatheError: the program, schedule or target is wrong.

    Example:
        >>> import lathe, numpy as np
        >>> from lathe import te
        >>> A = te.placeholder((4,), name="A")
        >>> B = te.compute((4,), lambda i: A[i] + 1.0, name="B")
        >>> f = lathe.build(te.create_schedule(B.op), [A, B], "llvm")
        >>> out = np.zeros(4, "float32")
        >>> f(np.arange(4, dtype="float32"), out)
        >>> out.tolist()
        [1.0, 2.0, 3.0, 4.0]
        >>> f = lathe.build([A, B])    # without a schedule: the default one
    """
    clock = _Clock(time_limit, inputs, isolate)
    if isinstance(inputs, _nodes.CLASSES["Func"]):
        inputs = _nodes.CLASSES["Module"]([inputs])
    if isinstance(inputs, (dict, _nodes.CLASSES["Module"])):
        _refuse_binds(_packed_binds(binds), inputs)
    if isinstance(inputs, dict):
        if args is not None:
            raise LatheTypeError("modules by target have their arguments already", "lower-input-type",
                                 f"found: {len(inputs)} modules, and args\nhelp: leave `args` out")
        return _built_for_each(_modules_by_target(inputs, target_host), clock)
    if target is None and isinstance(inputs, _nodes.CLASSES["Module"]):
        grouped = _by_own_targets(inputs, target_host)
        if grouped:
            return _built_for_each(grouped, clock)
    chosen = _chosen(target, target_host)
    inputs, args = _scheduled(inputs, args, chosen)
    return _built(_lower_within(clock, inputs, args, name, binds), chosen, clock)


def _built(module, chosen, clock):
    if chosen.kind == "cuda":
        chosen = _ready_for_cuda(chosen)
    with _places.about(module), _compilers_named():
        made = _build(module, chosen, clock.packed())
    made._recipe = _recipe(module, chosen, clock.context)
    return made


def _recipe(module, target, context):
    """What `runtime.Module.get_source` needs to compile the code of the host again as text."""
    if target.has_threads:
        return "llvm" if target.host is None else str(target.host.kind), lambda output: _get(
            "driver.host_source", True)(module, target, output, context.packed())
    return str(target.kind), lambda output: _get("driver.compile", True)(
        module, target, output, context.packed()).decode()


def _modules_by_target(inputs, host):
    """[(Target, module of loops)] of a dict from targets to modules or functions."""
    if not inputs:
        raise LatheTypeError("build takes a dict from targets to modules", "lower-input-type",
                             'found: an empty dict\nhelp: lathe.build({"llvm": lathe.lower(s, [A, B])})')
    made = []
    for target, one in inputs.items():
        functions = [one] if isinstance(one, _nodes.CLASSES["Func"]) else one
        if isinstance(functions, (list, tuple)) and all(isinstance(f, _nodes.CLASSES["Func"]) for f in functions):
            functions = _nodes.CLASSES["Module"](list(functions))
        if not isinstance(functions, _nodes.CLASSES["Module"]):
            raise LatheTypeError("build takes a dict from targets to modules of loops", "lower-input-type",
                                 f"expected: for each target a module of `lathe.lower`\nfound: for `{target}` "
                                 f"{type(one).__name__}\nhelp: lathe.build({{target: lathe.lower(s, [A, B])}})")
        made.append((Target(target, host), functions))
    return made


def _by_own_targets(module, host):
    """[(Target, module)] of a module whose functions have the attribute "target"; [] if none has."""
    groups = {}
    for function in module.functions:
        own = function.attrs.get("target")
        own = own if own is None or isinstance(own, Target) else Target(_text_of(own))
        key = None if own is None else (str(own), str(own.host))
        groups.setdefault(key, (own, []))[1].append(function)
    if set(groups) <= {None}:
        return []
    return [(_chosen(own, host), module.with_functions(functions)) for own, functions in groups.values()]


def _text_of(own):
    text = getattr(own, "value", own)  # of a StringImm
    if not isinstance(text, str):
        raise LatheTypeError("the attribute \"target\" of a function is no target", "target-malformed",
                             f"expected: a Target or text\nfound: {type(own).__name__}")
    return text


def _built_for_each(parts, clock):
    """One module of the functions for several targets."""
    taken = {}
    for target, module in parts:
        for function in module:
            if function in taken:
                raise LatheValueError(f"two functions of a program have the name `{function}`", "lower-input-type",
                                      f"found: one for `{taken[function]}`, and one for `{target}`\n"
                                      f"help: func.with_attr(\"global_symbol\", another name)")
            taken[function] = target
    made = [_built(module, target, clock) for target, module in parts]
    first = next((i for i, (target, _) in enumerate(parts) if not target.has_threads), 0)
    for i, one in enumerate(made):
        if i != first:
            made[first].import_module(one)
    return made[first]


def compile_to(inputs, output, args=None, target=None, name="main", *, time_limit=None, isolate=None):
    """Compiles a program and returns the code generator's output as bytes.

    Args:
        inputs, args, name, time_limit, isolate: as for `build`.
        output: "object", "assembly", "ir" or "source".
        target: text, dict or Target; by default the current target, else this processor's.

    Example:
        >>> import lathe
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> s = te.create_schedule(B.op)
        >>> len(lathe.driver.compile_to(s, "object", [A, B])) > 0
        True
    """
    clock = _Clock(time_limit, inputs, isolate)
    target = _chosen(target)
    inputs, args = _scheduled(inputs, args, target)
    module = _lower_within(clock, inputs, args, name)
    if target.kind == "cuda":
        target = _ready_for_cuda(target)
    with _places.about(module), _compilers_named():
        return _get("driver.compile", True)(module, target, output, clock.packed())


from ._explain import Bisection, Explanation, bisect, explain  # noqa: E402,F401
