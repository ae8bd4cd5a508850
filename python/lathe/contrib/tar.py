"""Archives of objects.

`export_library("f.tar", fcompile=tar.tar)` writes one. `export_library("f.tar")` does the same.
"""

import os
import tarfile


def tar(output, files, options=None):
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
    files = [files] if isinstance(files, (str, os.PathLike)) else list(files)
    with tarfile.open(output, "w", format=tarfile.USTAR_FORMAT) as archive:
        for path in files:
            info = archive.gettarinfo(path, arcname=os.path.basename(path))
            info.uid = info.gid = info.mtime = 0
            info.uname = info.gname = ""
            with open(path, "rb") as f:
                archive.addfile(info, f)


def untar(tar_file, directory):
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
    os.makedirs(directory, exist_ok=True)
    with tarfile.open(tar_file) as archive:
        for member in archive:
            if not member.isfile() or member.name != os.path.basename(member.name) or not member.name:
                raise ValueError(f"member '{member.name}' of {tar_file} is no plain file of its own")
            with open(os.path.join(directory, member.name), "wb") as f:
                f.write(archive.extractfile(member).read())
