"""Temporary folders."""

import contextlib
import os
import re
import shutil
import tempfile
import weakref


class TempDirectory:
    """A temporary folder. It is removed together with this object, or by `remove()`.

    Example:
        >>> from lathe.contrib import utils
        >>> folder = utils.TempDirectory()
        >>> folder.listdir()
        []
        >>> folder.remove()
    """

    TEMPDIRS = weakref.WeakSet()
    _KEEP_FOR_DEBUG = False

    def __init__(self, custom_path=None, keep_for_debug=None):
        keep = TempDirectory._KEEP_FOR_DEBUG if keep_for_debug is None else keep_for_debug
        if custom_path:
            os.makedirs(custom_path, exist_ok=True)
            self._folder, self.temp_dir = None, custom_path
        elif keep:
            self._folder, self.temp_dir = None, tempfile.mkdtemp(prefix="lathe-debug-")
        else:
            self._folder = tempfile.TemporaryDirectory(prefix="lathe-")
            self.temp_dir = self._folder.name
            TempDirectory.TEMPDIRS.add(self)

    @classmethod
    @contextlib.contextmanager
    def set_keep_for_debug(cls, set_to=True):
        """`with TempDirectory.set_keep_for_debug():` folders made within it are not removed."""
        before, cls._KEEP_FOR_DEBUG = cls._KEEP_FOR_DEBUG, set_to
        try:
            yield
        finally:
            cls._KEEP_FOR_DEBUG = before

    @classmethod
    def remove_tempdirs(cls):
        """Removes all folders that are still there, but for those that are kept."""
        for folder in list(cls.TEMPDIRS):
            folder.remove()

    @property
    def path(self):
        """The folder's path."""
        return self.temp_dir

    def relpath(self, name):
        """The path of a file in the folder."""
        return os.path.join(self.temp_dir, name)

    def listdir(self):
        """The names in the folder."""
        return os.listdir(self.temp_dir)

    def remove(self):
        """Removes the folder now, unless it is a custom one."""
        if self._folder is not None:
            self._folder.cleanup()


def tempdir(custom_path=None, keep_for_debug=None):
    """A TempDirectory.

    Args:
        custom_path: an existing or new folder to use instead; it is not removed.
        keep_for_debug: True: the folder is not removed.

    Example:
        >>> from lathe.contrib import utils
        >>> utils.tempdir().relpath("lib.so").endswith("lib.so")
        True
    """
    return TempDirectory(custom_path, keep_for_debug)


class FileLock:
    """A file of this path, locked until `release()`, against other processes that lock it, too.

    Example:
        >>> from lathe.contrib import utils
        >>> folder = utils.tempdir()
        >>> lock = utils.FileLock(folder.relpath("lock"))
        >>> lock.release()
    """

    def __init__(self, path):
        import fcntl

        self.lock_file = open(path, "w")
        fcntl.lockf(self.lock_file, fcntl.LOCK_EX)

    def release(self):
        """Unlocks it."""
        import fcntl

        if self.lock_file:
            fcntl.lockf(self.lock_file, fcntl.LOCK_UN)
            self.lock_file.close()
            self.lock_file = None


def filelock(path):
    """A FileLock.

    Example:
        >>> from lathe.contrib import utils
        >>> folder = utils.tempdir()
        >>> utils.filelock(folder.relpath("lock")).release()
    """
    return FileLock(path)


def is_source_path(path):
    """Is a text the path of a file, and not a source itself? It is if there is such a file, or if it ends like a path.

    Example:
        >>> from lathe.contrib import utils
        >>> utils.is_source_path("kernel.cxx"), utils.is_source_path("int f() { return 1; }")
        (True, False)
    """
    return os.path.exists(path) or "\n" not in path and re.search(r"\.[\w+]+$", path) is not None


def which(exec_name):
    """The path of a program on the PATH; None if there is none.

    Example:
        >>> from lathe.contrib import utils
        >>> utils.which("no-such-program") is None
        True
    """
    return shutil.which(exec_name)
