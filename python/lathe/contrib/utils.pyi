"""Written by python/stubs/make_stubs.py."""

from typing import Any

class FileLock:
    """A file of this path, locked until `release()`, against other processes that lock it, too.

    Example:
        >>> from lathe.contrib import utils
        >>> folder = utils.tempdir()
        >>> lock = utils.FileLock(folder.relpath("lock"))
        >>> lock.release()
    """
    def release(self) -> Any: ...
    def __init__(self, path: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

class TempDirectory:
    """A temporary folder. It is removed together with this object, or by `remove()`.

    Example:
        >>> from lathe.contrib import utils
        >>> folder = utils.TempDirectory()
        >>> folder.listdir()
        []
        >>> folder.remove()
    """
    def listdir(self) -> Any: ...
    @property
    def path(self) -> Any:
        """The folder's path."""

    def relpath(self, name: Any) -> Any: ...
    def remove(self) -> Any: ...
    def __init__(self, custom_path: Any = ..., keep_for_debug: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def filelock(path: Any) -> Any:
    """A FileLock.

    Example:
        >>> from lathe.contrib import utils
        >>> folder = utils.tempdir()
        >>> utils.filelock(folder.relpath("lock")).release()
    """

def is_source_path(path: Any) -> Any:
    """Is a text the path of a file, and not a source itself? It is if there is such a file, or if it ends like a path.

    Example:
        >>> from lathe.contrib import utils
        >>> utils.is_source_path("kernel.cxx"), utils.is_source_path("int f() { return 1; }")
        (True, False)
    """

def tempdir(custom_path: Any = ..., keep_for_debug: Any = ...) -> Any:
    """A TempDirectory.

    Args:
        custom_path: an existing or new folder to use instead; it is not removed.
        keep_for_debug: True: the folder is not removed.

    Example:
        >>> from lathe.contrib import utils
        >>> utils.tempdir().relpath("lib.so").endswith("lib.so")
        True
    """

def which(exec_name: Any) -> Any:
    """The path of a program on the PATH; None if there is none.

    Example:
        >>> from lathe.contrib import utils
        >>> utils.which("no-such-program") is None
        True
    """
