"""Trackers: they lend the devices of servers to clients, by key."""

import json
import time

from .. import _ffi
from ..error import LatheError, LatheValueError
from .client import RPCSession, _seconds_of
from .server import _log

_get = _ffi.get
# What may be over when another device, or the same one a little later, is asked for.
_PASSING = {"rpc-unreachable", "rpc-lease", "link-lost", "rpc-timeout", "rpc-worker", "session-crashed"}


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

    def __init__(self, host="127.0.0.1", port=0, port_end=0, silent=True, *, secret_file="",
                 insecure=False, log_file=""):
        self._tracker = _get("rpc.track", True)(host, int(port), int(port_end), str(secret_file),
                                                bool(insecure), _log(silent, log_file))
        self.host = host
        self.port = _get("rpc.tracker_port")(self._tracker)

    def terminate(self):
        """Ends the tracker; sessions go on. A second call does nothing."""
        tracker, self._tracker = self._tracker, None
        if tracker is not None:
            _get("rpc.tracker_stop", True)(tracker)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.terminate()

    def __del__(self):
        if getattr(self, "_tracker", None) is not None:
            self.terminate()


class TrackerSession:
    """What one asks a tracker, made by `connect_tracker`. It keeps no connection open.

    Example:
        >>> from lathe import rpc
        >>> with rpc.Tracker("127.0.0.1") as tracker:
        ...     isinstance(rpc.connect_tracker("127.0.0.1", tracker.port), rpc.TrackerSession)
        True
    """

    def __init__(self, url, port=None, secret_file=""):
        if port is None:  # (url, port), as one argument
            url, port = url
        self._address = (str(url), int(port), str(secret_file))

    def request(self, key, priority=1, session_timeout=0, max_retry=5,
                session_constructor_args=None):
        """Waits for a device, and opens a session with its server.

        Args:
            key: the kind of device.
            priority: the higher, the earlier; whoever waits gains one step each 30 seconds.
            session_timeout: seconds after which the server ends the session; 0 for no limit.
            max_retry: how often to ask again when a device that was lent cannot be reached.
            session_constructor_args: only None: a device that is lent leads no further.

        Raises:
            LatheError: `rpc-unreachable`, `rpc-secret`, `rpc-key`, `rpc-session-timeout`, ...
        """
        if session_constructor_args:
            raise LatheValueError("a device that is lent leads no further", "rpc-constructor",
                                  "help: rpc.connect(..., session_constructor_args=...) does")
        seconds = _seconds_of(session_timeout)
        for attempt in range(max(int(max_retry), 1)):
            try:
                return RPCSession(_get("rpc.request_device", True)(
                    *self._address, str(key), int(priority), seconds))
            except LatheError as error:
                last = error
                if error.name not in _PASSING:
                    raise
                time.sleep(min(0.1 * 2 ** attempt, 2))
        raise last

    def request_and_run(self, key, func, priority=1, session_timeout=0, max_retry=2):
        """Calls `func(session)` with a device, again with another one if the session is lost.

        Returns what `func` returns. Its own errors are not tried again.
        """
        for attempt in range(max(int(max_retry), 1)):
            try:
                with self.request(key, priority, session_timeout) as session:
                    return func(session)
            except LatheError as error:
                last = error
                if error.name not in _PASSING or attempt + 1 == max_retry:
                    raise
        raise last

    def summary(self):
        """All devices and all that wait.

        Returns:
            A dict with `keys` ({"key", "free", "lent", "waiting"} of each), `devices`, `waiting`,
            `left_out` (so many entries these lists have not), `version`, `uptime`, and as in TVM
            `queue_info` ({key: {"free": devices, "pending": requests}}) and `server_info`
            ([{"key": "server:KEY", "addr": [host, port]}]).
        """
        summary = json.loads(_get("rpc.tracker_summary", True)(*self._address))
        summary["queue_info"] = {
            one["key"]: {"free": one["free"], "pending": one["waiting"]} for one in summary["keys"]}
        summary["server_info"] = [{"key": f"server:{one['key']}", "addr": [one["host"], one["port"]]}
                                  for one in summary["devices"]]
        return summary

    def text_summary(self):
        """The same for people."""
        summary = self.summary()
        lines = [f"{'key':<20} {'server':<28} state"]
        for device in sorted(summary["devices"], key=lambda d: (d["key"], d["host"], d["port"])):
            state = f"lent ({device['lease']})" if device["lease"] else "free"
            where = f"{device['host']}:{device['port']}"
            lines.append(f"{device['key']:<20} {where:<28} {state}")
        lines += [f"{one['key']:<20} {one['waiting']} waiting" for one in summary["keys"]
                  if one["waiting"]]
        if summary["left_out"]:
            lines.append(f"and {summary['left_out']} more")
        if len(lines) == 1:
            lines.append("no devices, and nobody waits")
        return "\n".join(lines)

    def close(self):
        """Does nothing: each question is a connection of its own."""


def connect_tracker(url, port, *, secret_file=""):
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
    session = TrackerSession(url, port, secret_file)
    last = time.monotonic() + 3
    while True:
        try:
            session.summary()
            return session
        except LatheError as error:
            if error.name != "rpc-unreachable" or time.monotonic() > last:
                raise
            time.sleep(0.1)
