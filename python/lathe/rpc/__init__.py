"""Sessions with this process and with other machines; servers, and trackers that lend them.

    >>> from lathe import rpc
    >>> session = rpc.LocalSession()            # or rpc.connect(host, port)
    >>> session.cpu().exist
    True
"""

from .client import LocalSession, RPCSession, Session, connect
from .server import Server, keygen
from .tracker import Tracker, TrackerSession, connect_tracker
