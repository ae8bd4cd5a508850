"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.autotvm.measure import MeasureErrorNo as MeasureErrorNo

class Monitor:
    """Keeps how fast each trial was.

    Example:
        >>> from lathe import autotvm
        >>> autotvm.callback.Monitor().trial_scores()
        []
    """
    def __call__(self, tuner: Any, inputs: Any, results: Any) -> Any: ...
    def reset(self) -> Any: ...
    def trial_scores(self) -> Any: ...
    def trial_timestamps(self) -> Any: ...
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def log_to_database(db: Any) -> Any:
    """Saves each trial into a database (`autotvm.database`).

    Example:
        >>> from lathe import autotvm
        >>> callable(autotvm.callback.log_to_database(autotvm.database.DummyDatabase()))
        True
    """

def log_to_file(file_out: Any, protocol: Any = ...) -> Any:
    """Appends a line for each trial to a file.

    Args:
        file_out: a path, or a file that is open for writing.

    Example:
        >>> from lathe import autotvm
        >>> callable(autotvm.callback.log_to_file("tuning.log"))
        True
    """

def progress_bar(total: Any, prefix: Any = ..., si_prefix: Any = ...) -> Any:
    """Shows how far a search is, on standard error, if that is a terminal; else its last state.

    Args:
        total: the trials of the search.
        prefix: stands before it.
        si_prefix: of operations per second: "", "K", "M", "G", "T".

    Example:
        >>> from lathe import autotvm
        >>> callable(autotvm.callback.progress_bar(1000, prefix="[Task 1]"))
        True
    """
