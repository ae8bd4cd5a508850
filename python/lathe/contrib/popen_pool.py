"""Pools of worker processes that can be ended when a task takes too long."""

import concurrent.futures
import enum
import multiprocessing
import os
import threading
import traceback

from ..error import LatheOSError


class StatusKind(enum.IntEnum):
    """How a task ended.

    Example:
        >>> from lathe.contrib.popen_pool import StatusKind
        >>> StatusKind.TIMEOUT.name
        'TIMEOUT'
    """

    RUNNING, COMPLETE, EXCEPTION, TIMEOUT = range(4)


class MapResult:
    """The result of a task: its `status` (StatusKind), and a value or the exception.

    Example:
        >>> from lathe.contrib.popen_pool import MapResult, StatusKind
        >>> MapResult(StatusKind.COMPLETE, 3).value
        3
    """

    __slots__ = ("status", "value")

    def __init__(self, status, value):
        self.status, self.value = status, value


def _serve(pipe, initializer, initargs):
    if initializer is not None:
        initializer(*initargs)
    while True:
        try:
            function, args, kwargs = pipe.recv()
        except EOFError:
            return
        try:
            sent = (True, function(*args, **(kwargs or {})))
        except Exception as error:
            error.__notes__ = [*getattr(error, "__notes__", []), traceback.format_exc()]
            sent = (False, error)
        try:
            pipe.send(sent)
        except Exception as error:  # what it returned cannot be pickled
            pipe.send((False, TypeError(f"a worker's result cannot be sent: {error}")))


class PopenWorker:
    """A process that runs one function at a time. It starts with the first one.

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

    def __init__(self, initializer=None, initargs=(), maximum_uses=None):
        self._initializer, self._initargs = initializer, tuple(initargs)
        self._process = self._pipe = self._timer = None
        self._maximum, self._uses, self._late = maximum_uses, 0, False

    def _start(self):
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, self._initializer, self._initargs), daemon=True)
        self._process.start()
        theirs.close()

    def send(self, fn, args=(), kwargs=None, timeout=None):
        """Starts fn(*args, **kwargs) in the process; `recv` gives its result.

        Args:
            fn: a function that can be pickled.
            timeout: seconds after which the process is ended.
        """
        if self._maximum is not None and self._uses >= self._maximum:
            self.kill()
        if self._process is None or not self._process.is_alive():
            self._start()
            self._uses = 0
        self._uses += 1
        self._late = False
        self._pipe.send((fn, args, kwargs))
        if timeout is not None:
            self._timer = threading.Timer(timeout, self._end_late)
            self._timer.daemon = True
            self._timer.start()

    def _end_late(self):
        self._late = True
        self._process.kill()

    def recv(self):
        """The result of the function that was sent; raises what it raised.

        Raises:
            TimeoutError: it took longer than its timeout.
            LatheError: `worker-ended`: the process ended without a result.
        """
        try:
            done, value = self._pipe.recv()
        except (EOFError, ConnectionResetError):
            self._process.join()
            if self._late:
                raise TimeoutError("the function took longer than its timeout") from None
            raise LatheOSError("the worker's process ended without a result", "worker-ended",
                               f"found: exit code {self._process.exitcode}") from None
        finally:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
        if not done:
            raise value
        return value

    def is_alive(self):
        """Does the process run?"""
        return self._process is not None and self._process.is_alive()

    def join(self, timeout=None):
        """Waits until the process ends by itself, for at most so many seconds."""
        if self._process is not None:
            if self._pipe is not None:
                self._pipe.close()
            self._process.join(timeout)

    def kill(self):
        """Ends the process. The next `send` starts another."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._pipe.close()
            self._process = self._pipe = None


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

    def __init__(self, max_workers=None, timeout=None, initializer=None, initargs=(), maximum_process_uses=None):
        count = max_workers or os.cpu_count() or 1
        self._timeout = timeout
        self._idle = [PopenWorker(initializer, initargs, maximum_process_uses) for _ in range(count)]
        self._workers = list(self._idle)
        self._threads = concurrent.futures.ThreadPoolExecutor(count)

    def _run(self, fn, args, kwargs):
        worker = self._idle.pop()
        try:
            worker.send(fn, args, kwargs, self._timeout)
            return worker.recv()
        finally:
            self._idle.append(worker)

    def submit(self, fn, *args, **kwargs):
        """A Future of fn(*args, **kwargs), run in a process."""
        return self._threads.submit(self._run, fn, args, kwargs)

    def map_with_error_catching(self, fn, iterator):
        """A MapResult for each item, in order; errors and timeouts are results, too."""
        for future in [self.submit(fn, item) for item in iterator]:
            try:
                yield MapResult(StatusKind.COMPLETE, future.result())
            except TimeoutError as error:
                yield MapResult(StatusKind.TIMEOUT, error)
            except Exception as error:
                yield MapResult(StatusKind.EXCEPTION, error)

    def __del__(self):
        self._threads.shutdown(wait=False)
        for worker in self._workers:
            worker.kill()
