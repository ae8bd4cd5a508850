"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.autotvm.task.dispatcher import ApplyHistoryBest as ApplyHistoryBest

def context(target: Any, extra_files: Any = ...) -> Any:
    """A context with the records of files.

    Builds of graphs use the records that come with Lathe without it (docs/guides/tuning.md). This is
    for programs that ask for TVM's packages of logs, which are not downloaded.

    Args:
        target: for compatibility, without effect: a log says for which target each line is.
        extra_files: paths of logs.

    Example:
        >>> from lathe import autotvm
        >>> with autotvm.tophub.context("llvm"):
        ...     autotvm.task.DispatchContext.current.query(None, ("t", 1)).is_fallback
        True
    """
