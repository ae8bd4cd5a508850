"""Instruments: objects called before and after passes, given to `PassContext(instruments=[...])`.

Any object with some of these methods will do: `enter_pass_ctx()`, `exit_pass_ctx()`,
`run_before_pass(module, info)`, `run_after_pass(module, info)`. Lathe reports its own passes when
they are done: `run_before_pass` then gets the module that the pass was given.

Example:
    >>> import lathe
    >>> from lathe import te
    >>> A = te.placeholder((4,), name="A")
    >>> B = te.compute((4,), lambda i: A[i] + 1.0, name="B")
    >>> timing = lathe.instrument.PassTimingInstrument()
    >>> with lathe.transform.PassContext(instruments=[timing]):
    ...     module = lathe.lower(te.create_schedule(B.op), [A, B])
    >>> "simplify" in timing.render()
    True
"""

import functools
import sys

from .error import LatheTypeError


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

    def enter_pass_ctx(self):
        """Called when the context comes into force."""

    def exit_pass_ctx(self):
        """Called when the context ends."""

    def run_before_pass(self, module, info):
        """`module` is the pass's input; `info` is its PassInfo."""

    def run_after_pass(self, module, info):
        """`module` is the pass's output; `info.seconds` is the time it took."""


def pass_instrument(pi_cls=None):
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

    def make(cls):
        if not isinstance(cls, type):
            raise LatheTypeError("pass_instrument decorates a class", "instrument-type",
                                 f"found: {type(cls).__name__}")
        if issubclass(cls, PassInstrument):
            return cls
        return functools.wraps(cls, updated=())(type(cls.__name__, (cls, PassInstrument), {}))

    return make if pi_cls is None else make(pi_cls)


class PassTimingInstrument(PassInstrument):
    """Collects the time of each pass; `render()` gives a table.

    Example:
        >>> import lathe
        >>> timing = lathe.instrument.PassTimingInstrument()
        >>> timing.run_after_pass(None, lathe.transform.PassInfo("simplify", 2e-6))
        >>> timing.times
        [('simplify', 2e-06)]
    """

    def __init__(self):
        self.times = []

    def run_after_pass(self, module, info):
        """Records the pass's name and its time."""
        self.times.append((info.name, info.seconds))

    def render(self):
        """A line for each pass, in order: name, microseconds, share of the total (str)."""
        whole = sum(seconds for _, seconds in self.times) or 1.0
        lines = [f"{name:<24}{seconds * 1e6:12.1f} us {seconds / whole * 100:6.1f} %"
                 for name, seconds in self.times]
        return "\n".join([*lines, f"{'all':<24}{whole * 1e6:12.1f} us"])


def _print(file, when, module, info):
    print(f"# {when} {info.name}\n{module}", file=file or sys.stdout)


class PrintBeforeAll(PassInstrument):
    """Prints the input module of each pass.

    Args:
        file: the file to print to; standard output by default.

    Example:
        >>> import lathe
        >>> context = lathe.transform.PassContext(instruments=[lathe.instrument.PrintBeforeAll()])
    """

    def __init__(self, file=None):
        self.file = file

    def run_before_pass(self, module, info):
        """Prints it."""
        _print(self.file, "before", module, info)


class PrintAfterAll(PassInstrument):
    """Prints the output module of each pass.

    Args:
        file: the file to print to; standard output by default.

    Example:
        >>> import lathe
        >>> context = lathe.transform.PassContext(instruments=[lathe.instrument.PrintAfterAll()])
    """

    def __init__(self, file=None):
        self.file = file

    def run_after_pass(self, module, info):
        """Prints it."""
        _print(self.file, "after", module, info)

from . import _old_modules  # noqa: E402

_old_modules.attend(__name__)
