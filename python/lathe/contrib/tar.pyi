"""Written by python/stubs/make_stubs.py."""

from typing import Any

def tar(output: Any, files: Any, options: Any = ...) -> Any:
    """Packs files into a tar under their names without folders. Equal input gives equal bytes.

    Args:
        output: the archive's path.
        files: a path, or a list of paths.
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
    """Unpacks the plain files of a tar into a folder. Creates the folder if it is missing.

    Raises ValueError for members that are no plain files or whose names contain folders.

    Example:
        >>> import os, tempfile
        >>> from lathe.contrib import tar
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     tar.tar(os.path.join(folder, "empty.tar"), [])
        ...     tar.untar(os.path.join(folder, "empty.tar"), os.path.join(folder, "out"))
        ...     os.listdir(os.path.join(folder, "out"))
        []
    """
