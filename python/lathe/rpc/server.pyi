"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError

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
    def __del__(self) -> Any: ...
    def __enter__(self) -> Any: ...
    def __exit__(self, *_: Any) -> Any: ...
    def terminate(self) -> Any: ...
    def __init__(self, host: Any = ..., port: Any = ..., port_end: Any = ..., is_proxy: Any = ..., tracker_addr: Any = ..., key: Any = ..., load_library: Any = ..., custom_addr: Any = ..., silent: Any = ..., no_fork: Any = ..., *, secret_file: Any = ..., insecure: Any = ..., session_timeout: Any = ..., max_sessions: Any = ..., session_memory: Any = ..., confined: Any = ..., log_file: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def keygen(path: Any) -> Any:
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
