"""The functions of the C++ side, by name: `_ffi.get("te.compute")`."""

import atexit
import os

from . import _core
from .error import make_error

get = _core.get

_core.set_error_factory(make_error)
# C++ may still hold Python objects when the interpreter ends. From then on C++ leaves them alone.
atexit.register(_core.finalize)

PLUGINS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plugins")
if os.path.isdir(PLUGINS):
    # This reads only the manifests, and only on the first query. It loads no plugin.
    get("plugins.add_folder")(PLUGINS)
