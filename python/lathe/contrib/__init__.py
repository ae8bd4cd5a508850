"""Helpers around a compilation."""

import pkgutil

from .. import _lazy, _old_modules

_LAZY = tuple(sorted(one.name for one in pkgutil.iter_modules(__path__) if not one.name.startswith("_")))
__getattr__ = _lazy.submodules(__name__, _LAZY)
_old_modules.attend(__name__)
