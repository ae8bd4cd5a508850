"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.ir as _ir
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError

class Pass:
    """Module -> module. Called with a module; `pass_(module)`.

    Example:
        >>> import lathe
        >>> same = lathe.transform.Pass("same", lambda module, context: module)
        >>> len(same(lathe.ir.Module([])))
        0
    """
    def __call__(self, module: Any) -> _ir.Module: ...
    def __repr__(self) -> str: ...
    def __init__(self, name: Any, function: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class PassContext:
    """Options of compilations; in `with context:` those of this thread.

    Args:
        opt_level: kept for scripts that give it; every pass that helps always runs.
        config: {option: int}, as `lathe.transform.options()` lists them, and
            "tir.add_lower_pass": [(phase, pass), ...]: passes of your own. Phase 0 sees the loops
            of the schedule, 1 simplified ones, 2 and 3 what `lower` gives; the name of any of
            lathe's own passes (`passes()`) means right after that one, of `build`'s too.
        disabled_pass: names of passes to leave out.
        instruments: objects with any of the methods `enter_pass_ctx()`, `exit_pass_ctx()`,
            `run_before_pass(module, info)`, `run_after_pass(module, info)`.
        verify: verify the module after each pass.
        time_limit: seconds that `lower` and `build` may take each; 0: as long as it takes.
        isolate: code generators work in a process of their own, as `build` says.

    Example:
        >>> import lathe
        >>> with lathe.transform.PassContext(config={"unroll.auto_max_step": 4}):
        ...     lathe.transform.PassContext.current().config
        {'unroll.auto_max_step': 4}
    """
    def __enter__(self) -> Any: ...
    def __exit__(self, *exc: Any) -> Any: ...
    @staticmethod
    def current() -> PassContext: ...
    def packed(self, time_limit: Any = ..., spent: Any = ..., isolate: Any = ...) -> Any: ...
    def user_passes(self) -> Any: ...
    def __init__(self, opt_level: Any = ..., required_pass: Any = ..., disabled_pass: Any = ..., instruments: Any = ..., config: Any = ..., verify: Any = ..., time_limit: Any = ..., isolate: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class PassInfo:
    """The name of a pass, and how long it took (seconds).

    Example:
        >>> import lathe
        >>> lathe.tir.transform.Simplify().info
        PassInfo(simplify)
    """
    def __repr__(self) -> str: ...
    def __init__(self, name: Any, seconds: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class Sequential(Pass):
    """Passes one after the other.

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
    """A pass that applies another to the functions whose whole names match, and leaves the rest.

    Args:
        transform: a Pass.
        func_name_regex: a regular expression of Python's.
        error_if_no_function_matches_regex: raise ValueError where none does.

    Example:
        >>> import lathe
        >>> nothing = lathe.transform.ApplyPassToFunction(lathe.tir.transform.Simplify(), "main")
        >>> len(nothing(lathe.ir.Module([])))
        0
    """

PHASES: Any

def PrintIR(header: Any = ..., show_meta_data: Any = ...) -> Any:
    """A pass that prints the module and changes nothing, for a Sequential.

    Args:
        header: printed before it.
        show_meta_data: prints the module's attributes too; they are part of the text anyway.

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

    Called within `with lathe.Target(...):` it knows that target's machine: element types, limits.

    Raises:
        LatheError: `unknown-pass`, when it is called.

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
    """A pass of a function (module, context) -> module.

    Example:
        >>> import lathe
        >>> @lathe.transform.module_pass
        ... def leave(module, context):
        ...     return module
        >>> leave.info.name
        'leave'
    """

def options() -> list[tuple[str, int, str]]:
    """[(name, default, what it does)] of all options.

    Example:
        >>> import lathe
        >>> "unroll.auto_max_step" in [name for name, _, _ in lathe.transform.options()]
        True
    """

def passes() -> list[tuple[str, str, str]]:
    """[(name, what it does, stage after it)] of all passes, in order.

    Example:
        >>> import lathe
        >>> "simplify" in [name for name, _, _ in lathe.transform.passes()]
        True
    """

def prim_func_pass(pass_func: Any = ..., opt_level: Any = ..., name: Any = ..., required: Any = ...) -> Any:
    """A pass of a function (func, module, context) -> func, applied to each function of a module.

    Example:
        >>> import lathe
        >>> @lathe.transform.prim_func_pass(opt_level=0)
        ... def leave(func, module, context):
        ...     return func
    """
