"""Written by python/stubs/make_stubs.py."""

from typing import Any
import enum
from lathe.error import LatheOSError as LatheOSError

class MapResult:
    """The result of a task: its `status` (StatusKind), and a value or the exception.

    Example:
        >>> from lathe.contrib.popen_pool import MapResult, StatusKind
        >>> MapResult(StatusKind.COMPLETE, 3).value
        3
    """
    def __init__(self, status: Any, value: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class PopenPoolExecutor:
    """A pool of PopenWorkers with the interface of concurrent.futures.

    Args:
        max_workers: the number of processes; by default that of the processors.
        timeout: seconds for each task.
        initializer, initargs: called in each process first.
        maximum_process_uses: as for PopenWorker.

    Example:
        >>> from lathe.contrib.popen_pool import PopenPoolExecutor
        >>> pool = PopenPoolExecutor(max_workers=1)
        >>> pool.submit(divmod, 7, 2).result()
        (3, 1)
        >>> [one.value for one in pool.map_with_error_catching(abs, [-1, 2])]
        [1, 2]
    """
    def __del__(self) -> Any: ...
    def map_with_error_catching(self, fn: Any, iterator: Any) -> Any: ...
    def submit(self, fn: Any, *args: Any, **kwargs: Any) -> Any: ...
    def __init__(self, max_workers: Any = ..., timeout: Any = ..., initializer: Any = ..., initargs: Any = ..., maximum_process_uses: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class PopenWorker:
    """A process that runs one function at a time. It starts with the first one.

    It is a program of its own, which does not run the script of this one: functions of a script are sent as their code.
    An object of a class of a script makes the process run the script, too, with another `__name__` than "__main__".

    Args:
        initializer, initargs: called in the process first.
        maximum_uses: end the process after so many functions, and start another; None: never.

    Example:
        >>> from lathe.contrib.popen_pool import PopenWorker
        >>> worker = PopenWorker()
        >>> worker.send(divmod, (7, 2))
        >>> worker.recv()
        (3, 1)
        >>> worker.kill()
    """
    def is_alive(self) -> Any: ...
    def join(self, timeout: Any = ...) -> Any: ...
    def kill(self) -> Any: ...
    def recv(self) -> Any: ...
    def send(self, fn: Any, args: Any = ..., kwargs: Any = ..., timeout: Any = ...) -> Any: ...
    def __init__(self, initializer: Any = ..., initargs: Any = ..., maximum_uses: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class StatusKind(enum.IntEnum):
    """How a task ended.

    Example:
        >>> from lathe.contrib.popen_pool import StatusKind
        >>> StatusKind.TIMEOUT.name
        'TIMEOUT'
    """
    RUNNING = 0
    COMPLETE = 1
    EXCEPTION = 2
    TIMEOUT = 3
