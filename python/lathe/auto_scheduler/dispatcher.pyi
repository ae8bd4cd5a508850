"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheTypeError as LatheTypeError
from lathe.auto_scheduler.measure_record import record_text as record_text

class DispatchContext:
    """Base of the contexts. `with context:` makes it the innermost; what one does not know is asked of
    the one around it. Builds of graphs look at the records of `ApplyHistoryBest` alone, not at `query`
    of a class of your own.

    Example:
        >>> from lathe import auto_scheduler
        >>> auto_scheduler.DispatchContext.current.query("llvm", "nobody") is None
        True
    """
    def __enter__(self) -> Any: ...
    def __exit__(self, *_: Any) -> Any: ...
    def query(self, target: Any, workload_key: Any, has_complex_op: Any = ..., dag: Any = ..., func_name: Any = ...) -> Any: ...
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class ApplyHistoryBest(DispatchContext):
    """The best record of each kernel: `relay.build` inside of it uses their schedules.

    A record is for one computation on one target. Kernels without one keep their default schedule.

    Args:
        records: a file of `RecordToFile` or of `lathe tune`, a list of such files,
            [(MeasureInput, MeasureResult)...], or None.
        n_lines, include_compatible: for compatibility, without effect: all records count, and only
            for their own target.

    Raises:
        LatheError: `tune-journal-unreadable`, `tune-record-invalid`.

    Example:
        >>> from lathe import auto_scheduler
        >>> with auto_scheduler.ApplyHistoryBest([]) as context:
        ...     len(context)
        0
    """
    def __len__(self) -> int: ...
    def load(self, records: Any, n_lines: Any = ...) -> Any: ...
    def __init__(self, records: Any, n_lines: Any = ..., include_compatible: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class FallbackContext(DispatchContext):
    """The outermost context: default schedules.

    Example:
        >>> from lathe import auto_scheduler
        >>> auto_scheduler.FallbackContext().query("llvm", "nobody") is None
        True
    """
    ...

logger: Any

def records() -> Any:
    """For builds of graphs: what the contexts have, the innermost first.

    Example:
        >>> from lathe import auto_scheduler
        >>> auto_scheduler.dispatcher.records()
        []
    """
