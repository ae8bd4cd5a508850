"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheTypeError as LatheTypeError

class PassInstrument:
    """Base of instruments. Its methods do nothing; override them.

    Example:
        >>> import lathe
        >>> class Names(lathe.instrument.PassInstrument):
        ...     def __init__(self):
        ...         self.names = []
        ...     def run_after_pass(self, module, info):
        ...         self.names.append(info.name)
    """
    def enter_pass_ctx(self) -> Any: ...
    def exit_pass_ctx(self) -> Any: ...
    def run_after_pass(self, module: Any, info: Any) -> Any: ...
    def run_before_pass(self, module: Any, info: Any) -> Any: ...
    ...

class PassTimingInstrument(PassInstrument):
    """Collects the time of each pass; `render()` gives a table.

    Example:
        >>> import lathe
        >>> timing = lathe.instrument.PassTimingInstrument()
        >>> timing.run_after_pass(None, lathe.transform.PassInfo("simplify", 2e-6))
        >>> timing.times
        [('simplify', 2e-06)]
    """
    def render(self) -> Any: ...
    def run_after_pass(self, module: Any, info: Any) -> Any: ...
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class PrintAfterAll(PassInstrument):
    """Prints the output module of each pass.

    Args:
        file: the file to print to; standard output by default.

    Example:
        >>> import lathe
        >>> context = lathe.transform.PassContext(instruments=[lathe.instrument.PrintAfterAll()])
    """
    def run_after_pass(self, module: Any, info: Any) -> Any: ...
    def __init__(self, file: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class PrintBeforeAll(PassInstrument):
    """Prints the input module of each pass.

    Args:
        file: the file to print to; standard output by default.

    Example:
        >>> import lathe
        >>> context = lathe.transform.PassContext(instruments=[lathe.instrument.PrintBeforeAll()])
    """
    def run_before_pass(self, module: Any, info: Any) -> Any: ...
    def __init__(self, file: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def pass_instrument(pi_cls: Any = ...) -> Any:
    """A decorator: makes the class derive from PassInstrument.

    Example:
        >>> import lathe
        >>> @lathe.instrument.pass_instrument
        ... class Count:
        ...     passes = 0
        ...     def run_after_pass(self, module, info):
        ...         self.passes += 1
        >>> isinstance(Count(), lathe.instrument.PassInstrument)
        True
    """
