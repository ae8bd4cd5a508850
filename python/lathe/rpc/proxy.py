"""Proxies: they connect clients with servers that nobody can dial, by key."""

from .. import _ffi
from ..error import LatheValueError
from .server import _log

_get = _ffi.get


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

    def __init__(self, host="127.0.0.1", port=9091, port_end=0, web_port=0, timeout_client=None,
                 timeout_server=None, tracker_addr=None, index_page=None, resource_files=None, *,
                 silent=True, secret_file="", insecure=False, log_file=""):
        if web_port or index_page or resource_files:
            raise LatheValueError("there is no proxy for browsers", "rpc-proxy-option")
        if tracker_addr:
            raise LatheValueError("a proxy registers no devices", "rpc-proxy-option",
                                  "help: each server registers itself: "
                                  "rpc.Server(..., is_proxy=True, tracker_addr=(host, port))")
        self._proxy = _get("rpc.proxy", True)(host, int(port), int(port_end), str(secret_file),
                                              bool(insecure), _log(silent, log_file))
        self.host = host
        self.port = _get("rpc.proxy_port")(self._proxy)

    def terminate(self):
        """Ends the proxy, and with it the sessions through it. A second call does nothing."""
        proxy, self._proxy = self._proxy, None
        if proxy is not None:
            _get("rpc.proxy_stop", True)(proxy)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.terminate()

    def __del__(self):
        if getattr(self, "_proxy", None) is not None:
            self.terminate()
