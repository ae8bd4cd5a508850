"""Pools of worker processes that can be ended when a task takes too long."""

import concurrent.futures
import enum
import multiprocessing
import multiprocessing.connection
import multiprocessing.spawn
import os
import pickle
import subprocess
import sys
import threading
import weakref

from ..error import LatheOSError
from . import _by_value, _worker

_PACKAGE = __package__.partition(".")[0]


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


class _Deadline:
    """Ends a process that is too slow.

    Args:
        process: a subprocess.Popen.
        ready: a connection with something to read as soon as the process runs functions: the time begins then.
        seconds: the time.
    """

    def __init__(self, process, ready, seconds):
        self._lock, self._cancelled, self._passed = threading.Lock(), threading.Event(), False
        threading.Thread(target=self._watch, args=(process, ready, seconds), daemon=True).start()

    def _watch(self, process, ready, seconds):
        try:
            multiprocessing.connection.wait([ready])
        except OSError:  # closed: the process has been ended
            return
        self._cancelled.wait(seconds)
        with self._lock:
            if not self._cancelled.is_set():
                self._passed = True
                process.kill()

    def cancel(self):
        """From now on it ends nothing. Has it ended the process already?"""
        with self._lock:
            self._cancelled.set()
            return self._passed


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

    def __init__(self, initializer=None, initargs=(), maximum_uses=None):
        self._initializer, self._initargs = initializer, tuple(initargs)
        self._process = self._pipe = self._ready = self._deadline = self._at_exit = None
        self._maximum, self._uses = maximum_uses, 0

    def _start(self):
        setup = multiprocessing.spawn.get_preparation_data("PopenWorker")
        for key in ("authkey", "start_method"):  # of multiprocessing's own processes
            setup.pop(key, None)
        first = [pickle.dumps((setup, sys.modules.get("tvm") is sys.modules[_PACKAGE])),
                 _by_value.dumps((self._initializer, self._initargs))]
        self._pipe, theirs = multiprocessing.Pipe()
        self._ready, until_ready = multiprocessing.Pipe(duplex=False)
        files = theirs.fileno(), until_ready.fileno()
        with theirs, until_ready:
            self._process = subprocess.Popen(
                [sys.executable, *subprocess._args_from_interpreter_flags(), "-c",
                 f"import sys; sys.path[:] = {[str(path) for path in setup['sys_path']]!r}\n"
                 f"from {_worker.__name__} import serve; serve{files}"], stdin=subprocess.DEVNULL, pass_fds=files)
        self._at_exit = weakref.finalize(self, self._process.kill)
        return first

    def send(self, fn, args=(), kwargs=None, timeout=None):
        """Starts fn(*args, **kwargs) in the process; `recv` gives its result.

        Args:
            fn: a function that can be pickled, or one of the script, or a lambda.
            timeout: seconds after which the process is ended. The start of the process does not count.
        """
        task = _by_value.dumps((fn, args, kwargs))
        self._cancel()
        if self._maximum is not None and self._uses >= self._maximum or not self.is_alive() or self._pipe.closed:
            self.kill()
            messages = [*self._start(), task]
            self._uses = 0
        else:
            messages = [task]
        self._uses += 1
        try:
            for message in messages:
                self._pipe.send_bytes(message)
        except ConnectionError:  # it has ended; `recv` says so
            pass
        if timeout is not None:
            self._deadline = _Deadline(self._process, self._ready, timeout)

    def _cancel(self):
        deadline, self._deadline = self._deadline, None
        return deadline is not None and deadline.cancel()

    def recv(self):
        """The result of the function that was sent; raises what it raised.

        Raises:
            TimeoutError: it took longer than its timeout.
            LatheError: `worker-ended`: the process ended without a result.
        """
        try:
            data = self._pipe.recv_bytes()
        except (EOFError, ConnectionResetError):
            data = None
        if self._cancel():
            self.kill()
            raise TimeoutError("the function took longer than its timeout")
        if data is None:
            raise LatheOSError("the worker's process ended without a result", "worker-ended",
                               f"found: exit code {self._process.wait()}")
        done, value = _by_value.loads(data)
        if not done:
            raise value
        return value

    def is_alive(self):
        """Does the process run?"""
        return self._process is not None and self._process.poll() is None

    def join(self, timeout=None):
        """Waits until the process ends by itself, for at most so many seconds."""
        if self._process is not None:
            self._pipe.close()
            try:
                self._process.wait(timeout)
            except subprocess.TimeoutExpired:
                pass

    def kill(self):
        """Ends the process. The next `send` starts another."""
        self._cancel()
        if self._process is not None:
            self._at_exit.detach()
            self._process.kill()
            self._process.wait()
            self._pipe.close()
            self._ready.close()
            self._process = self._pipe = self._ready = None


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
