"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError

class Proxy:
    """A proxy of this process, on a thread.

    Servers that cannot be reached dial it (`Server(..., is_proxy=True)`); clients connect with it
    as with a server, and name the key of the device that they want. It passes bytes on, and needs
    no code of either side.

    Args:
        host: the address to listen on; other machines can reach it only if it is one of the
            machine's addresses in the network, or "0.0.0.0"; then a secret is needed.
        port, port_end: the first free port of this range is taken. 0: any.
        timeout_client, timeout_server: without effect: heartbeats notice who is lost.
        web_port, tracker_addr, index_page, resource_files: not here; each server registers itself
            with a tracker.
        silent: prints nothing about devices and clients.
        log_file: writes what happens there, with the time, also if it is silent; it may be rotated.
        secret_file: devices and clients must have the same secret; else the file that
            LATHE_REMOTE_SECRET_FILE names.
        insecure: takes anybody without a secret, on a network that you trust wholly.

    Raises:
        LatheError: `rpc-port` (in use), `rpc-insecure`, `rpc-secret-file`.

    Example:
        >>> from lathe import rpc
        >>> proxy = rpc.Proxy("127.0.0.1", 0)
        >>> server = rpc.Server("127.0.0.1", proxy.port, is_proxy=True, key="android")
        >>> with rpc.connect("127.0.0.1", proxy.port, key="android") as session:
        ...     session.cpu().exist
        True
        >>> server.terminate()
        >>> proxy.terminate()
    """
    def __del__(self) -> Any: ...
    def __enter__(self) -> Any: ...
    def __exit__(self, *_: Any) -> Any: ...
    def terminate(self) -> Any: ...
    def __init__(self, host: Any = ..., port: Any = ..., port_end: Any = ..., web_port: Any = ..., timeout_client: Any = ..., timeout_server: Any = ..., tracker_addr: Any = ..., index_page: Any = ..., resource_files: Any = ..., *, silent: Any = ..., secret_file: Any = ..., insecure: Any = ..., log_file: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...
