"""Sessions: the same functions wherever the code runs."""

import logging
import os
import tempfile

from .. import _ffi
from ..error import LatheValueError
from ..runtime.device import Device as _Device
from ..runtime.device import device as _device

_get = _ffi.get
_EXT_DEV = 12  # kDLExtDev
_QUIET_SECONDS = 5.0  # then `connect` says that it waits

_logger = logging.getLogger("lathe.rpc")


def _seconds_of(session_timeout):
    """The limit as a number; 0 for none."""
    try:
        seconds = float(session_timeout or 0)
    except (TypeError, ValueError):
        seconds = float("nan")
    if not seconds >= 0:
        raise LatheValueError("session_timeout is no limit of time", "rpc-session-timeout",
                              f"expected: seconds, or 0 for no limit\nfound: {session_timeout!r}")
    return seconds


class Session:
    """What sessions with this process and with others have: files, modules, functions, devices.

    Use `connect` or `LocalSession`.

    Example:
        >>> from lathe import rpc
        >>> isinstance(rpc.LocalSession(), rpc.Session)
        True
    """

    def __init__(self, session):
        self._session = session

    def _of(self, here):
        device = _get("session.device", True)(self._session, here.device_type, here.device_id)
        device._keeps = self._session
        return device

    def upload(self, data, target=None):
        """Copies a file (path) or bytes into the session, under the name `target`.

        Without `target` the file keeps its name, without folders.

        Raises:
            LatheValueError: the name is not allowed (`session-file-name`).
            LatheOSError: the session's machine cannot store the file (`session-file-unwritable`).
        """
        if not isinstance(data, (bytes, bytearray)):
            target = target or os.path.basename(data)
            with open(data, "rb") as f:
                data = f.read()
        _get("session.upload", True)(self._session, target or "", bytes(data))

    def download(self, path):
        """The bytes of a file of the session."""
        return _get("session.download", True)(self._session, path)

    def list_files(self):
        """The names of the session's files, sorted.

        Example:
            >>> from lathe import rpc
            >>> session = rpc.LocalSession()
            >>> session.upload(b"text", "a.txt")
            >>> session.list_files()
            ['a.txt']
        """
        return list(_get("session.list_files", True)(self._session))

    def remove(self, path):
        """Removes a file from the session."""
        _get("session.remove", True)(self._session, path)

    def load_module(self, path):
        """The module of an uploaded file. Its functions take tensors of the session's devices."""
        return _get("session.load_uploaded", True)(self._session, path)

    def system_lib(self, name="system"):
        """The module that is linked into the session's program under `name`.

        A program of yours that links compiled code, for example a worker for a board, registers it
        with `lathe_register_artifact(name, ...)`.

        Raises:
            LatheError: `module-not-linked`: there is none of that name.

        Example:
            >>> import lathe
            >>> from lathe import rpc, te
            >>> A = te.placeholder((8,), name="A")
            >>> B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
            >>> built = lathe.build(te.create_schedule(B.op), [A, B], "llvm", name="add")
            >>> _ = lathe.register_func("module.static.example", lambda: built)
            >>> rpc.LocalSession().system_lib("example").function_names
            ['add']
            >>> lathe.runtime.remove_global_func("module.static.example")
        """
        return _get("session.load_linked", True)(self._session, name)

    def get_function(self, name):
        """A function that the session's process exports (`register_func(..., exported=True)`).

        It accepts numbers, text, bytes, lists of these, tensors and devices of the session, and
        functions, which the far side then calls in the calling thread.
        """
        function = _get("session.get_function", True)(self._session, name)
        # It waits for the far side, which may wait for a function of another thread here.
        function.release_gil = True
        return function

    def close(self):
        """Ends the session: its tensors, modules and functions cannot be used any more.

        It also ends when nothing refers to it, to one of those or to its devices.
        """
        _get("session.close", True)(self._session)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def device(self, dev_type, dev_id=0):
        """A device of the session, by the name or the number of its kind."""
        return self._of(_device(dev_type, dev_id))

    context = device

    def cpu(self, dev_id=0):
        """The session's processor."""
        return self.device("cpu", dev_id)

    def cl(self, dev_id=0):
        """An OpenCL device of the session."""
        return self.device("opencl", dev_id)

    def cuda(self, dev_id=0):
        """An NVIDIA GPU of the session."""
        return self.device("cuda", dev_id)

    gpu = cuda

    def vulkan(self, dev_id=0):
        """A Vulkan device of the session."""
        return self.device("vulkan", dev_id)

    def metal(self, dev_id=0):
        """A Metal device of the session."""
        return self.device("metal", dev_id)

    def rocm(self, dev_id=0):
        """An AMD GPU of the session."""
        return self.device("rocm", dev_id)

    def ext_dev(self, dev_id=0):
        """A device of the first extension kind of DLPack."""
        return self._of(_Device(_EXT_DEV, dev_id))


class LocalSession(Session):
    """A session with this process: behaves like a remote session, without the network.

    Its devices are the process's own, so tensors need not be copied to them. Uploaded files lie in
    a folder of the session, which is removed with the session. A file name is one part of a path,
    without folders, and does not begin with a dot.

    Example:
        >>> from lathe import rpc
        >>> session = rpc.LocalSession()
        >>> session.upload(b"text", "a.txt")
        >>> session.download("a.txt")
        b'text'
    """

    _opened_by = "session.open_local"

    def __init__(self):
        super().__init__(_get(self._opened_by)())


class RPCSession(Session):
    """A session with a worker process of a server, made by `connect`.

    Tensors, modules and functions of the session live in the worker. A worker that crashes is an
    error of its session only (`session-crashed`, with the signal and the worker's last output); a
    lost connection is `link-lost`. Ctrl-C ends a call in the worker, too, and a copy after the MiB
    that is under way.

    Example:
        >>> import lathe
        >>> from lathe import rpc
        >>> with rpc.Server("127.0.0.1") as server, rpc.connect("127.0.0.1", server.port) as session:
        ...     a = lathe.nd.array([1.0, 2.0], session.cpu())
        ...     a.numpy().tolist()
        [1.0, 2.0]
    """

    def on_progress(self, told):
        """Calls `told(done, total)` while files and tensors of more than 1 MiB are copied.

        Once for each MiB, in bytes, in the thread that copies. What it raises ends the copy. It
        must not use the session (`session-busy`). None ends it.

        Example:
            >>> import lathe
            >>> from lathe import rpc
            >>> with rpc.Server("127.0.0.1") as server, rpc.connect("127.0.0.1", server.port) as session:
            ...     seen = []
            ...     session.on_progress(lambda done, total: seen.append((done >> 20, total >> 20)))
            ...     session.upload(bytes(3 << 20), "zeros.bin")
            ...     seen
            [(1, 3), (2, 3), (3, 3)]
        """
        _get("session.on_progress", True)(self._session, told)


class PopenSession(RPCSession):
    """A session with a worker program of this machine: `lathe-rpc-worker`, or a program of your own.

    The program ends with the session. A crash is an error of the session, as with a server.

    Args:
        binary: the program's path, or its bytes.

    Raises:
        LatheError: `rpc-worker`, `session-crashed`, `link-lost`: it does not start, or is no worker.

    Example:
        >>> from lathe import rpc
        >>> rpc.PopenSession("/bin/false")  # doctest: +IGNORE_EXCEPTION_DETAIL
        Traceback (most recent call last):
        ...
        lathe.error.LatheError: the worker ended with status 1 [session-crashed]
    """

    def __init__(self, binary):
        if not isinstance(binary, (bytes, bytearray)):
            super().__init__(_get("rpc.popen", True)(os.path.abspath(binary)))
            return
        with tempfile.TemporaryDirectory(prefix="lathe-worker-") as folder:
            path = os.path.join(folder, "worker")
            with open(path, "wb") as f:
                f.write(binary)
            os.chmod(path, 0o700)
            super().__init__(_get("rpc.popen", True)(path))  # it runs; its file is not needed longer


def connect(url, port, key="", session_timeout=0, session_constructor_args=None,
            enable_logging=False, *, secret_file=""):
    """Opens a session with a server: `python -m lathe.exec.rpc_server` or `lathe-rpc-server`.

    A server has one session at a time unless it says otherwise; this waits for its turn, and says
    so after five seconds (logging, "lathe.rpc", level WARNING). A session of your own program,
    which you have not closed, may be what it waits for.

    Args:
        url: the server's name or address.
        port: the server's port.
        key: the kind of device that must be there; "" for any.
        session_timeout: seconds after which the server ends the session; 0 for no limit.
        session_constructor_args: ["rpc.Connect", url, port, key]: the server connects with another
            one, and this session is with that. After the key may come enable_logging and the same
            again, for a longer chain. A secret is the one of the server's own environment.
        secret_file: the file with the secret that the server has; else the file that
            LATHE_REMOTE_SECRET_FILE names. A server on this machine, of the same user, needs none.
        enable_logging: warns (logging, "lathe.rpc") that this session waits from the first moment on, not
            after five seconds.

    Raises:
        LatheError: `rpc-unreachable`, `rpc-secret`, `rpc-no-device`, `rpc-version`,
            `rpc-constructor`, `rpc-session-timeout`, ...

    Example:
        >>> from lathe import rpc
        >>> server = rpc.Server("127.0.0.1")
        >>> with rpc.connect("127.0.0.1", server.port) as session:
        ...     session.upload(b"text", "a.txt")
        ...     session.list_files()
        ['a.txt']
        >>> server.terminate()
    """
    def queued(place):
        _logger.warning("%s:%s: waiting for a device: number %d in the queue", url, port, place)

    constructor, *arguments = session_constructor_args or [""]
    return RPCSession(_get("rpc.connect", True)(
        str(url), int(port), key or "", _seconds_of(session_timeout), str(secret_file),
        bool(enable_logging), queued, _QUIET_SECONDS, constructor, arguments))
