"""Temporary folders."""

import os
import tempfile


class TempDirectory:
    """A temporary folder. It is removed together with this object, or by `remove()`.

    Example:
        >>> from lathe.contrib import utils
        >>> folder = utils.TempDirectory()
        >>> folder.listdir()
        []
        >>> folder.remove()
    """

    def __init__(self, custom_path=None):
        if custom_path:
            os.makedirs(custom_path, exist_ok=True)
            self._folder, self.temp_dir = None, custom_path
        else:
            self._folder = tempfile.TemporaryDirectory(prefix="lathe-")
            self.temp_dir = self._folder.name

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


def tempdir(custom_path=None):
    """A TempDirectory.

    Args:
        custom_path: an existing or new folder to use instead; it is not removed.

    Example:
        >>> from lathe.contrib import utils
        >>> utils.tempdir().relpath("lib.so").endswith("lib.so")
        True
    """
    return TempDirectory(custom_path)
