"""Written by python/stubs/make_stubs.py."""

from typing import Any

def main(args: Any = ...) -> Any:
    """Runs the program until Ctrl-C or SIGTERM. Returns the exit status.

    Example:
        >>> from lathe.exec import rpc_proxy
        >>> rpc_proxy.main(["--host", "0.0.0.0", "--port", "0"])    # without a secret
        1
    """
