"""Written by python/stubs/make_stubs.py."""

from typing import Any

def main(args: Any = ...) -> Any:
    """Runs the program. Returns the exit status.

    Example:
        >>> from lathe import rpc
        >>> from lathe.exec import query_rpc_tracker
        >>> with rpc.Tracker("127.0.0.1") as tracker:
        ...     query_rpc_tracker.main(["--port", str(tracker.port)])
        key                  server                       state
        no devices, and nobody waits
        0
    """
