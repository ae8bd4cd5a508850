"""Sessions: the same few functions wherever the code runs. Today: in this process."""

import os

from . import _ffi
from .runtime.device import cl as _cl
from .runtime.device import cpu as _cpu
from .runtime.device import cuda as _cuda
from .runtime.device import device as _device

_get = _ffi.get


class LocalSession:
    """A session with this process: what a remote one does, without the network.

    Its devices are the process's own, so tensors need not be copied to them. Files that are uploaded
    lie in a folder of the session, which goes with it.

    Example:
        >>> from lathe import rpc
        >>> session = rpc.LocalSession()
        >>> session.upload(b"text", "a.txt")
        >>> session.download("a.txt")
        b'text'
    """

    _opened_by = "session.local"

    def __init__(self):
        import tempfile

        self._session = _get(self._opened_by)()
        self._folder = tempfile.TemporaryDirectory(prefix="lathe-session-")

    def _path(self, name):
        name = os.path.basename(name)
        if not name:
            raise ValueError("a file of a session needs a name")
        return os.path.join(self._folder.name, name)

    def _of(self, here):
        return _get("session.device")(self._session, here.device_type, here.device_id)

    def upload(self, data, target=None):
        """Brings a file (path) or bytes into the session, under the name `target`."""
        import shutil

        if isinstance(data, (bytes, bytearray)):
            if not target:
                raise ValueError("bytes need a name in the session")
            with open(self._path(target), "wb") as f:
                f.write(data)
            return
        shutil.copyfile(data, self._path(target or data))

    def download(self, path):
        """The bytes of a file of the session."""
        with open(self._path(path), "rb") as f:
            return f.read()

    def remove(self, path):
        """Removes a file of the session."""
        os.remove(self._path(path))

    def load_module(self, path):
        """The module of an uploaded file; its functions take tensors of the session's devices."""
        return _get("session.load", True)(self._session, self._path(path))

    def get_function(self, name):
        """A function of the session's registry."""
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
