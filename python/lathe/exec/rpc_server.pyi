"""Written by python/stubs/make_stubs.py."""

from typing import Any

def main(args: Any = ...) -> Any:
    """Runs the program until Ctrl-C or SIGTERM. Returns the exit status.

    Example:
        >>> import os, tempfile
        >>> from lathe.exec import rpc_server
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     rpc_server.main(["--keygen", os.path.join(folder, "secret")])
        0
    """
