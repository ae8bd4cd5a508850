"""The old name of `lathe.rpc`."""

from .. import compat as _compat
from ..rpc import LocalSession

_compat._say("contrib.rpc", "rpc")
