"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe._irmodule import IRModule as IRModule
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError

class Pass:
    """A function from module to module. Call it: `pass_(module)`.

    Args:
        name: its name.
        function: (module, context) -> module.
        opt_level: a Sequential runs the pass if the PassContext's level is at least this one.
        required: names of passes that it builds on; kept in `info`, without effect.

    Example:
        >>> import lathe
        >>> same = lathe.transform.Pass("same", lambda module, context: module)
        >>> len(same(lathe.ir.Module([])))
        0
    """
    def __call__(self, module: Any) -> Any: ...
    def __repr__(self) -> str: ...
    def __init__(self, name: Any, function: Any, opt_level: Any = ..., required: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class PassContext:
    """Options for compilations. `with context:` puts them in force in this thread.

    Args:
        opt_level: 0 to 3, which passes over graphs run in `relay.build`: 0 only what must, 1 what
            costs nothing, 2 also layouts, 3 also what rounds differently (convolutions of 3x3 by
            Winograd's algorithm). Kernels always get all useful passes.
        required_pass: names of passes that a Sequential runs even if their level is above `opt_level`.
        config: {option: int}, the options that `lathe.transform.options()` lists, and
            "relay.fallback_device_type": a device's name or number, for `relay.build`;
            TVM's options, such as "tir.UnrollLoop" and "tir.disable_vectorize": docs/migrating.md says
            which have an effect;
            "relay.ext.NAME.options": anything, for the code generator NAME of parts of graphs, which
            reads it from the context;
            "tir.HoistExpression", "tir.HoistIfThenElse": what the passes of `tir.transform` of these
            names take;
            "tune.shipped_records": False: kernels of graphs without the records that come with
            Lathe; and
            "tir.add_lower_pass": [(phase, pass), ...]: passes of your own. A pass of phase 0 gets
            the loops of the schedule, of phase 1 simplified loops, of phases 2 and 3 the result of
            `lower`. A phase may also be the name of one of lathe's own passes (`passes()`),
            including those of `build`: the pass then runs right after that one.
        disabled_pass: names of passes to leave out.
        instruments: objects with any of the methods `enter_pass_ctx()`, `exit_pass_ctx()`,
            `run_before_pass(module, info)`, `run_after_pass(module, info)`.
        verify: verify the module after each pass.
        time_limit: seconds for each call of `lower` or `build`; 0: no limit.
        isolate: run code generators in their own process, as described at `build`.

    Example:
        >>> import lathe
        >>> with lathe.transform.PassContext(config={"unroll.auto_max_step": 4}):
        ...     lathe.transform.PassContext.current().config
        {'unroll.auto_max_step': 4}
    """
    def __enter__(self) -> Any: ...
    def __exit__(self, *exc: Any) -> Any: ...
    def __repr__(self) -> str: ...
    @staticmethod
    def current() -> PassContext: ...
    def packed(self, time_limit: Any = ..., spent: Any = ..., isolate: Any = ..., note: Any = ...) -> Any: ...
    def user_passes(self) -> Any: ...
    def __init__(self, opt_level: Any = ..., required_pass: Any = ..., disabled_pass: Any = ..., instruments: Any = ..., config: Any = ..., verify: Any = ..., time_limit: Any = ..., isolate: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class PassInfo:
    """The name of a pass, and the time it took (seconds).

    `opt_level` is the level of the PassContext from which on a Sequential runs the pass, and
    `required` names passes that it builds on.

    Example:
        >>> import lathe
        >>> lathe.tir.transform.Simplify().info
        PassInfo(simplify)
    """
    def __repr__(self) -> str: ...
    def __init__(self, name: Any, seconds: Any = ..., opt_level: Any = ..., required: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class Sequential(Pass):
    """A pass that runs several passes one after the other.

    It leaves out passes that the PassContext's `disabled_pass` names, and passes whose level is
    above the PassContext's `opt_level`, unless `required_pass` names them.

    Example:
        >>> import lathe
        >>> both = lathe.transform.Sequential([lathe.tir.transform.Simplify(), lathe.tir.transform.UnrollLoop()])
        >>> len(both(lathe.ir.Module([])))
        0
    """
    def __init__(self, passes: Any, opt_level: Any = ..., name: Any = ..., required: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def ApplyPassToFunction(transform: Any, func_name_regex: Any, error_if_no_function_matches_regex: Any = ...) -> Any:
    """A pass that applies another pass to the functions whose whole names match.

    Args:
        transform: a Pass.
        func_name_regex: a regular expression of Python.
        error_if_no_function_matches_regex: raise ValueError if no function matches.

    Example:
        >>> import lathe
        >>> nothing = lathe.transform.ApplyPassToFunction(lathe.tir.transform.Simplify(), "main")
        >>> len(nothing(lathe.ir.Module([])))
        0
    """

PHASES: Any

def PrintIR(header: Any = ..., show_meta_data: Any = ...) -> Any:
    """A pass that prints the module and does not change it; useful in a Sequential.

    Args:
        header: printed before the module.
        show_meta_data: no effect: the module's attributes are always part of the text.

    Example:
        >>> import lathe
        >>> from lathe import te, tir
        >>> lathe.transform.PrintIR("# nothing yet")(lathe.ir.Module([]))
        ... # doctest: +ELLIPSIS
        # nothing yet
        ...
    """

def builtin_pass(name: Any) -> Pass:
    """One of lathe's own passes, by name (`lathe.transform.passes()`).

    If called within `with lathe.Target(...):`, it uses that target's element types and limits; else those of
    the target that all functions have (`tir.transform.BindTarget`).

    Raises:
        LatheError: `unknown-pass`, `pass-module-kind`, when the pass is called.

    Example:
        >>> import lathe
        >>> from lathe import te
        >>> A = te.placeholder((4,), name="A")
        >>> B = te.compute((4,), lambda i: A[i] + 1.0, name="B")
        >>> loops = lathe.lower(te.create_schedule(B.op), [A, B], simple_mode=True)
        >>> "allocate" in str(lathe.transform.builtin_pass("compact_realize")(loops))
        False
    """

def module_pass(pass_func: Any = ..., opt_level: Any = ..., name: Any = ..., required: Any = ...) -> Any:
    """Makes a pass from a function (module, context) -> module, or from a class.

    The instances of a class are passes; its method `transform_module` is that function.

    Args:
        pass_func: the function or class. Without it, this is a decorator.
        opt_level, required: as of `Pass`.
        name: the pass's name; by default that of the function or class.

    Example:
        >>> import lathe
        >>> @lathe.transform.module_pass(opt_level=1)
        ... def leave(module, context):
        ...     return module
        >>> leave.info.name, leave.info.opt_level
        ('leave', 1)
    """

def options() -> list[tuple[str, int, str]]:
    """[(name, default, what it does)] for all options.

    Example:
        >>> import lathe
        >>> "unroll.auto_max_step" in [name for name, _, _ in lathe.transform.options()]
        True
    """

def pass_maker(base: Any, run_of: Any, method: Any, opt_level: Any, name: Any, required: Any) -> Any:
    """A decorator that makes a pass from a function, or a class of passes from a class.

    Args:
        base: the class of the passes.
        run_of: turns the function into (module, context) -> module.
        method: the name of the method of a class that is the function.
        opt_level, name, required: as of `Pass`; `name` is by default that of the function or class.

    Returns:
        The decorator.

    Raises:
        LatheError: `pass-class`, when an instance of a class is made that lacks the method.

    Example:
        >>> import lathe
        >>> T = lathe.transform
        >>> make = T.pass_maker(T.Pass, lambda f: f, "transform_module", 1, "same", None)
        >>> make(lambda module, context: module).info.name
        'same'
    """

def passes() -> list[tuple[str, str, str]]:
    """[(name, what it does, stage after it)] for all passes, in order.

    Example:
        >>> import lathe
        >>> "simplify" in [name for name, _, _ in lathe.transform.passes()]
        True
    """

def prim_func_pass(pass_func: Any = ..., opt_level: Any = ..., name: Any = ..., required: Any = ...) -> Any:
    """Makes a pass from a function (func, module, context) -> func, or from a class. It runs on all functions.

    The instances of a class are passes; its method `transform_function` is that function.

    Args:
        pass_func: the function or class. Without it, this is a decorator.
        opt_level, required: as of `Pass`.
        name: the pass's name; by default that of the function or class.

    Example:
        >>> import lathe
        >>> @lathe.transform.prim_func_pass(opt_level=0)
        ... def leave(func, module, context):
        ...     return func
    """
