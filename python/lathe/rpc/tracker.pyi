"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheError as LatheError
from lathe.error import LatheValueError as LatheValueError
from lathe.rpc.client import RPCSession as RPCSession

class Tracker:
    """A tracker of this process, on a thread.

    Args:
        host: the address to listen on; other machines can reach it only if it is one of the
            machine's addresses in the network, or "0.0.0.0"; then a secret is needed.
        port, port_end: the first free port of this range is taken. 0: any.
        secret_file: servers and clients must have the same secret; else the file that
            LATHE_REMOTE_SECRET_FILE names.
        insecure: takes anybody without a secret, on a network that you trust wholly.
        silent: prints nothing about devices.
        log_file: writes what happens there, with the time, also if it is silent; it may be rotated.

    Example:
        >>> from lathe import rpc
        >>> tracker = rpc.Tracker("127.0.0.1")
        >>> rpc.connect_tracker("127.0.0.1", tracker.port).summary()["devices"]
        []
        >>> tracker.terminate()
    """
    def __del__(self) -> Any: ...
    def __enter__(self) -> Any: ...
    def __exit__(self, *_: Any) -> Any: ...
    def terminate(self) -> Any: ...
    def __init__(self, host: Any = ..., port: Any = ..., port_end: Any = ..., silent: Any = ..., *, secret_file: Any = ..., insecure: Any = ..., log_file: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class TrackerSession:
    """What one asks a tracker, made by `connect_tracker`. It keeps no connection open.

    Example:
        >>> from lathe import rpc
        >>> with rpc.Tracker("127.0.0.1") as tracker:
        ...     isinstance(rpc.connect_tracker("127.0.0.1", tracker.port), rpc.TrackerSession)
        True
    """
    def close(self) -> Any: ...
    def request(self, key: Any, priority: Any = ..., session_timeout: Any = ..., max_retry: Any = ..., session_constructor_args: Any = ...) -> Any: ...
    def request_and_run(self, key: Any, func: Any, priority: Any = ..., session_timeout: Any = ..., max_retry: Any = ...) -> Any: ...
    def summary(self) -> Any: ...
    def text_summary(self) -> Any: ...
    def __init__(self, url: Any, port: Any = ..., secret_file: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def connect_tracker(url: Any, port: Any, *, secret_file: Any = ...) -> Any:
    """A tracker, by its address. Waits up to three seconds for one that is just being started.

    Raises:
        LatheError: `rpc-unreachable`, `rpc-secret`, `rpc-role`, ...

    Example:
        >>> from lathe import rpc
        >>> with rpc.Tracker("127.0.0.1") as tracker:
        ...     print(rpc.connect_tracker("127.0.0.1", tracker.port).text_summary())
        key                  server                       state
        no devices, and nobody waits
    """
