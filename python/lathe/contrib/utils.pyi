"""Written by python/stubs/make_stubs.py."""

from typing import Any

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
    def __init__(self, custom_path: Any = ...) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def tempdir(custom_path: Any = ...) -> Any:
    """A TempDirectory.

    Args:
        custom_path: an existing or new folder to use instead; it is not removed.

    Example:
        >>> from lathe.contrib import utils
        >>> utils.tempdir().relpath("lib.so").endswith("lib.so")
        True
    """
