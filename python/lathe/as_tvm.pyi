"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheError as LatheError

def install() -> Any:
    """Makes `import tvm` give lathe, in this process. Once is enough; more calls change nothing.

    Raises:
        LatheError: `tvm-imported`: another module of that name has been imported already.

    Example:
        >>> from lathe import as_tvm
        >>> as_tvm.install()
        >>> import tvm.contrib.utils
    """

def main(arguments: Any = ...) -> Any:
    """Runs a script, or a module (`-m`), as `python` does, with lathe as tvm.

    Args:
        arguments: those of the command line by default.

    Example:
        >>> import os, tempfile
        >>> from lathe import as_tvm
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "script.py")
        ...     with open(path, "w") as f:
        ...         _ = f.write("import tvm; print(tvm.te.var('n').name)")
        ...     as_tvm.main([path])
        n
    """
