"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.transform import PassInfo as PassInfo

RELAY_NAMES: Any

def disabled(context: Any) -> Any:
    """([passes over graphs that the context leaves out], [other names])."""

def graph_passes() -> Any:
    """The names of the passes over graphs, in order."""

def packed(context: Any, time_limit: Any = ..., level: Any = ..., leave_out: Any = ...) -> Any:
    """[level, passes to leave out, after_pass, the context for kernels, which schedules they have, progress].

    `progress` is None: `_progress.Progress` gives what may take its place.

    Args:
        context: a PassContext.
        time_limit: seconds for the whole build; by default the context's.
        level: instead of the context's level.
        leave_out: instead of what the context leaves out.
    """
