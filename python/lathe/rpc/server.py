"""Servers: they offer this machine's devices to sessions over the network."""

import importlib.util
import os
import sys
import traceback

from .. import _ffi
from ..error import LatheValueError
from .client import _seconds_of

_get = _ffi.get


def _worker(initializer):
    """The command of a worker: this interpreter, which finds the same modules."""
    paths = [os.path.abspath(p) for p in sys.path]  # "" is the current folder
    code = (f"import sys; sys.path[:] = {paths!r}; "
            f"from lathe.rpc.server import _run_worker; _run_worker({initializer!r})")
    return [sys.executable, "-c", code]


def _run_worker(initializer):
    """What a worker process runs."""
    import importlib

    _get("rpc.limit_worker", True)()
    for name in initializer:
        module, _, function = name.partition(":")
        loaded = importlib.import_module(module)
        if function:
            getattr(loaded, function)()
    status = 1
    try:
        _get("rpc.run_worker", True)(3)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _check_modules(names):
    """Refuses what no worker could import, before a server starts."""
    for name in names:
        module = name.partition(":")[0]
        if module.endswith(".so") or "/" in module:
            raise LatheValueError(f"a worker cannot import `{module}`", "rpc-load-library",
                                  "expected: the name of a Python module, or MODULE:FUNCTION\n"
                                  "help: a module of yours may load a library: ctypes.CDLL(path, "
                                  "ctypes.RTLD_GLOBAL)")
        try:
            found = importlib.util.find_spec(module) is not None
        except ModuleNotFoundError:  # the package that should have it
            found = False
        if not found:
            raise LatheValueError(f"there is no module `{module}` that a worker could import",
                                  "rpc-load-library", "help: set PYTHONPATH to its folder")


def _log(silent, log_file):
    """Where a server writes what happens: "" for nowhere, "-" for standard error, or a file."""
    return str(log_file) or ("" if silent else "-")


def _refuse(what, expected, found):
    raise LatheValueError(f"{what} of a server has another value", "rpc-server-option",
                          f"expected: {expected}\nfound: {found}")


class Server:
    """A server of this process, on a thread; each session has a worker process of its own.

    Args:
        host: the address to listen on. Other machines can reach it only if this is one of the
            machine's addresses in the network, or "0.0.0.0"; then a secret is needed.
        port, port_end: the first free port of this range is taken. 0: any.
        is_proxy: `host` and `port` are those of a proxy (`Proxy`), through which clients reach this
            device; then the server listens nowhere, and `port` of the server is 0.
        tracker_addr: (host, port) of a tracker that lends this device; then `key` is needed, and
            only sessions that the tracker lent are taken.
        key: the kind of this device, for clients that ask for one.
        load_library: names of modules, or "module:function", that each worker imports (and calls)
            before it serves, for functions registered with `exported=True`.
        custom_addr: where clients reach this server, if not where the tracker sees it.
        silent: prints nothing about sessions.
        no_fork: without effect: workers are new processes, never forked ones.
        secret_file: clients must have the same secret (`keygen` makes one); else the file that
            LATHE_REMOTE_SECRET_FILE names.
        insecure: takes anybody without a secret, on a network that you trust wholly.
        session_timeout: the longest that a session may last, in seconds; 0 for no limit.
        max_sessions: sessions at once; others wait.
        session_memory: bytes that a session's process may have; 0 for no limit. Whoever asks for
            more gets an error.
        confined: code of sessions, and so your exported functions, may write, make and remove files
            in its session's folder only, where the kernel can (Landlock).
        log_file: writes what happens there, with the time, also if it is silent; it may be rotated.

    Raises:
        LatheError: `rpc-port` (in use), `rpc-insecure`, `rpc-loopback` (a tracker's clients could
            not reach it), `rpc-secret-file`, `rpc-log-file`, `rpc-server-option`, `rpc-session-timeout`.

    Example:
        >>> from lathe import rpc
        >>> server = rpc.Server("127.0.0.1")
        >>> server.port > 0
        True
        >>> server.terminate()
    """

    def __init__(self, host="127.0.0.1", port=0, port_end=0, is_proxy=False, tracker_addr=None,
                 key="", load_library=(), custom_addr="", silent=True, no_fork=True, *,
                 secret_file="", insecure=False, session_timeout=0, max_sessions=1,
                 session_memory=0, confined=False, log_file=""):
        if isinstance(load_library, str):
            load_library = load_library.split(",")
        names = [name for name in load_library or () if name]
        _check_modules(names)
        if max_sessions < 1:
            _refuse("max_sessions", "at least 1", max_sessions)
        if session_memory != 0 and session_memory < 64 << 20:
            _refuse("session_memory", "0 or at least 64 MiB", session_memory)
        if is_proxy and not port:
            _refuse("port", "the proxy's port, because of is_proxy=True", port)
        listen, proxy = (host, int(port), int(port_end)), ("", 0)
        if is_proxy:
            listen, proxy = ("127.0.0.1", 0, 0), (host, int(port))
        self._server = _get("rpc.serve", True)(
            *listen, key or "", str(secret_file), bool(insecure), _seconds_of(session_timeout),
            int(max_sessions), _worker(names), _log(silent, log_file), *(tracker_addr or ("", 0)),
            custom_addr or "", *proxy, int(session_memory), bool(confined))
        self.host = host
        self.port = _get("rpc.server_port")(self._server)

    def terminate(self):
        """Ends the server and its sessions. A second call does nothing."""
        server, self._server = self._server, None
        if server is not None:
            _get("rpc.server_stop", True)(server)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.terminate()

    def __del__(self):
        if getattr(self, "_server", None) is not None:
            self.terminate()


def keygen(path):
    """Makes a secret and writes it to a new file that only its owner may read.

    Copy the file to the server and to the clients.

    Raises:
        LatheError: `rpc-secret-file`; an existing file is never replaced.

    Example:
        >>> import os, tempfile
        >>> from lathe import rpc
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     rpc.keygen(os.path.join(folder, "secret"))
        ...     os.path.getsize(os.path.join(folder, "secret"))
        65
    """
    _get("rpc.keygen")(str(path))
