"""Written by python/stubs/make_stubs.py."""

from typing import Any

class Progress:
    """`with Progress() as told:` `told(done, total)` shows "compiling DONE of TOTAL kernels" on standard error.

    `told` is None where standard error is no terminal, or one that cannot erase a line (TERM is "dumb", or not
    set). The line is erased at the end.

    Example:
        >>> from lathe.relay._progress import Progress
        >>> with Progress() as told:
        ...     told is None or callable(told)
        True
    """
    def __enter__(self) -> Any: ...
    def __exit__(self, *exc: Any) -> Any: ...
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...
