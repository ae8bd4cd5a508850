"""Sessions with this process and with other machines; servers, trackers that lend them, proxies.

    >>> from lathe import rpc
    >>> session = rpc.LocalSession()            # or rpc.connect(host, port)
    >>> session.cpu().exist
    True
"""

from .client import LocalSession, PopenSession, RPCSession, Session, connect
from .proxy import Proxy
from .server import Server, keygen
from .tracker import Tracker, TrackerSession, connect_tracker

from .. import _old_modules  # noqa: E402

_old_modules.attend(__name__)
