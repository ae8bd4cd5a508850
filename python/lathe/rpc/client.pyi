"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError

class Session:
    """What sessions with this process and with others have: files, modules, functions, devices.

    Use `connect` or `LocalSession`.

    Example:
        >>> from lathe import rpc
        >>> isinstance(rpc.LocalSession(), rpc.Session)
        True
    """
    def __enter__(self) -> Any: ...
    def __exit__(self, *_: Any) -> Any: ...
    def cl(self, dev_id: Any = ...) -> Any: ...
    def close(self) -> Any: ...
    def context(self, dev_type: Any, dev_id: Any = ...) -> Any: ...
    def cpu(self, dev_id: Any = ...) -> Any: ...
    def cuda(self, dev_id: Any = ...) -> Any: ...
    def device(self, dev_type: Any, dev_id: Any = ...) -> Any: ...
    def download(self, path: Any) -> Any: ...
    def ext_dev(self, dev_id: Any = ...) -> Any: ...
    def get_function(self, name: Any) -> Any: ...
    def gpu(self, dev_id: Any = ...) -> Any: ...
    def list_files(self) -> Any: ...
    def load_module(self, path: Any) -> Any: ...
    def metal(self, dev_id: Any = ...) -> Any: ...
    def remove(self, path: Any) -> Any: ...
    def rocm(self, dev_id: Any = ...) -> Any: ...
    def system_lib(self, name: Any = ...) -> Any: ...
    def upload(self, data: Any, target: Any = ...) -> Any: ...
    def vulkan(self, dev_id: Any = ...) -> Any: ...
    def __init__(self, session: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

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
    def __init__(self) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

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
    def on_progress(self, told: Any) -> Any: ...
    ...

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
    def __init__(self, binary: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def connect(url: Any, port: Any, key: Any = ..., session_timeout: Any = ..., session_constructor_args: Any = ..., enable_logging: Any = ..., *, secret_file: Any = ...) -> Any:
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
