"""Written by python/stubs/make_stubs.py."""

from typing import Any

def tar(output: Any, files: Any, options: Any = ...) -> Any:
    """Packs files into a tar, by their names alone, with the same bytes each time.

    Args:
        output: its path.
        files: paths, or one.
        options: not used.

    Example:
        >>> import os, tempfile
        >>> from lathe.contrib import tar
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with open(os.path.join(folder, "a.txt"), "w") as f:
        ...         _ = f.write("text")
        ...     tar.tar(os.path.join(folder, "a.tar"), [f.name])
        ...     tar.untar(os.path.join(folder, "a.tar"), os.path.join(folder, "out"))
        ...     os.listdir(os.path.join(folder, "out"))
        ['a.txt']
    """

def untar(tar_file: Any, directory: Any) -> Any:
    """Unpacks the plain files of a tar into a folder, which is made where it is missing.

    Members with paths are refused: ValueError.

    Example: see `tar`.

    Example:
        >>> import os, tempfile
        >>> from lathe.contrib import tar
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     tar.tar(os.path.join(folder, "empty.tar"), [])
        ...     tar.untar(os.path.join(folder, "empty.tar"), os.path.join(folder, "out"))
        ...     os.listdir(os.path.join(folder, "out"))
        []
    """
