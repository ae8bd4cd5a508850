"""The functions of the C++ side, by name: `_ffi.get("te.compute")`."""

import atexit
import os

from . import _core
from .error import make_error

get = _core.get

_core.set_error_factory(make_error)
# Objects of Python that C++ still holds are left alone once the interpreter goes away.
atexit.register(_core.finalize)

PLUGINS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "plugins")
if os.path.isdir(PLUGINS):
    # Only their manifests are read, and those when somebody asks; nothing is loaded.
    get("plugins.add_folder")(PLUGINS)
