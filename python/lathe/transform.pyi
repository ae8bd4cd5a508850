"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.ir as _ir
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError

class Pass:
    """Module -> module. Called with a module; `pass_(module)`."""
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
    def packed(self) -> Any: ...
    def user_passes(self) -> Any: ...
    def __init__(self, opt_level: Any = ..., required_pass: Any = ..., disabled_pass: Any = ..., instruments: Any = ..., config: Any = ..., verify: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class PassInfo:
    """The name of a pass, and how long it took (seconds)."""
    def __repr__(self) -> str: ...
    def __init__(self, name: Any, seconds: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class Sequential(Pass):
    """Passes one after the other."""
    def __init__(self, passes: Any, opt_level: Any = ..., name: Any = ..., required: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

PHASES: Any

def builtin_pass(name: Any) -> Pass:
    """One of lathe's own passes, by name (`lathe.transform.passes()`)."""

def module_pass(function: Any = ..., opt_level: Any = ..., name: Any = ..., required: Any = ...) -> Any:
    """A pass of a function (module, context) -> module."""

def options() -> list[tuple[str, int, str]]:
    """[(name, default, what it does)] of all options."""

def passes() -> list[tuple[str, str, str]]:
    """[(name, what it does, stage after it)] of all passes, in order."""

def prim_func_pass(function: Any = ..., opt_level: Any = ..., name: Any = ..., required: Any = ...) -> Any:
    """A pass of a function (func, module, context) -> func, applied to each function of a module.

    Example:
        >>> import lathe
        >>> @lathe.transform.prim_func_pass(opt_level=0)
        ... def leave(func, module, context):
        ...     return func
    """
