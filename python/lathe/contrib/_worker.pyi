"""Written by python/stubs/make_stubs.py."""

from typing import Any

def serve(pipe: Any, ready: Any) -> Any:
    """Serves until the other end of the pipe is closed.

    Args:
        pipe: the number of a file. The first that comes is the set-up, then the initializer with its arguments, then
            (function, args, kwargs) of each task. (done, value) goes back for each task.
        ready: the number of a file. A byte goes there as soon as tasks can run.
    """
