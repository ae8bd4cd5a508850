"""The program of a worker's process: it runs the functions that come through a pipe, one after the other."""

import multiprocessing
import os
import pickle
import traceback
from multiprocessing.connection import Connection
from multiprocessing.spawn import prepare

from . import _by_value


class _Script:
    """Runs the script of the program once, as multiprocessing does.

    Args:
        where: the entries of multiprocessing's preparation data that name the script.
    """

    def __init__(self, where):
        self.where = where

    def run(self):
        where, self.where = self.where, {}
        process = multiprocessing.current_process()
        process._inheriting = True  # a script that starts workers in turn gets multiprocessing's error
        try:
            prepare(where)
        finally:
            del process._inheriting


def serve(pipe, ready):
    """Serves until the other end of the pipe is closed.

    Args:
        pipe: the number of a file. The first that comes is the set-up, then the initializer with its arguments, then
            (function, args, kwargs) of each task. (done, value) goes back for each task.
        ready: the number of a file. A byte goes there as soon as tasks can run.
    """
    for file in (pipe, ready):  # no matter for processes that the tasks start
        os.set_inheritable(file, False)
    pipe = Connection(pipe)
    setup, as_tvm = pickle.loads(pipe.recv_bytes())
    script = _Script({key: setup.pop(key) for key in list(setup) if key.startswith("init_main_from")})
    prepare(setup)
    if as_tvm:
        from .. import as_tvm  # noqa: F401
    initializer, initargs = _by_value.loads(pipe.recv_bytes(), script.run)
    if initializer is not None:
        initializer(*initargs)
    os.write(ready, b"!")
    os.close(ready)
    while True:
        try:
            task = pipe.recv_bytes()
        except EOFError:
            return
        pipe.send_bytes(_answer(task, script))


def _answer(task, script):
    try:
        function, args, kwargs = _by_value.loads(task, script.run)
        sent = (True, function(*args, **(kwargs or {})))
    except Exception as error:
        error.__notes__ = [*getattr(error, "__notes__", []), traceback.format_exc()]
        sent = (False, error)
    try:
        return _by_value.dumps(sent)
    except Exception as error:
        return pickle.dumps((False, TypeError(f"a worker's result cannot be sent: {error}")))
