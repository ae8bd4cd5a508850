"""Sessions: the same functions wherever the code runs. For now only in this process."""

import os

from . import _ffi
from .runtime.device import cl as _cl
from .runtime.device import cpu as _cpu
from .runtime.device import cuda as _cuda
from .runtime.device import device as _device

_get = _ffi.get


class LocalSession:
    """A session with this process: behaves like a remote session, without the network.

    Its devices are the process's own, so tensors need not be copied to them. Uploaded files lie in
    a folder of the session, which is removed with the session. A file name is one part of a path,
    without folders, and does not begin with a dot.

    Example:
        >>> from lathe import rpc
        >>> session = rpc.LocalSession()
        >>> session.upload(b"text", "a.txt")
        >>> session.download("a.txt")
        b'text'
    """

    _opened_by = "session.open_local"

    def __init__(self):
        self._session = _get(self._opened_by)()

    def _of(self, here):
        return _get("session.device")(self._session, here.device_type, here.device_id)

    def upload(self, data, target=None):
        """Copies a file (path) or bytes into the session, under the name `target`.

        Without `target` the file keeps its name, without folders.

        Raises:
            LatheValueError: the name is not allowed (`session-file-name`).
            LatheOSError: the session's machine cannot store the file (`session-file-unwritable`).
        """
        if not isinstance(data, (bytes, bytearray)):
            target = target or os.path.basename(data)
            with open(data, "rb") as f:
                data = f.read()
        _get("session.upload", True)(self._session, target or "", bytes(data))

    def download(self, path):
        """The bytes of a file of the session."""
        return _get("session.download", True)(self._session, path)

    def list_files(self):
        """The names of the session's files, sorted.

        Example:
            >>> from lathe import rpc
            >>> session = rpc.LocalSession()
            >>> session.upload(b"text", "a.txt")
            >>> session.list_files()
            ['a.txt']
        """
        return list(_get("session.list_files", True)(self._session))

    def remove(self, path):
        """Removes a file from the session."""
        _get("session.remove", True)(self._session, path)

    def load_module(self, path):
        """The module of an uploaded file. Its functions take tensors of the session's devices."""
        return _get("session.load_uploaded", True)(self._session, path)

    def get_function(self, name):
        """A function from the session's registry."""
        return _get("session.get_function", True)(self._session, name)

    def device(self, dev_type, dev_id=0):
        """A device of the session."""
        return self._of(_device(dev_type, dev_id))

    def cpu(self, dev_id=0):
        """The session's processor."""
        return self._of(_cpu(dev_id))

    def cl(self, dev_id=0):
        """An OpenCL device of the session."""
        return self._of(_cl(dev_id))

    def cuda(self, dev_id=0):
        """An NVIDIA GPU of the session."""
        return self._of(_cuda(dev_id))
