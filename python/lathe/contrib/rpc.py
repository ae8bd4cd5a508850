"""The old name of `lathe.rpc`."""

from .. import compat as _compat
from ..rpc import LocalSession, RPCSession, Server, connect

_compat._say("contrib.rpc", "rpc")
