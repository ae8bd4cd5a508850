"""The old name of `lathe.rpc`."""

from .. import compat as _compat
from ..rpc import (LocalSession, RPCSession, Server, TrackerSession, connect,
                   connect_tracker)

_compat._say("contrib.rpc", "rpc")
