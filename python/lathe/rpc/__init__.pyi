"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.rpc.client import LocalSession as LocalSession
from lathe.rpc.client import PopenSession as PopenSession
from lathe.rpc.proxy import Proxy as Proxy
from lathe.rpc.client import RPCSession as RPCSession
from lathe.rpc.server import Server as Server
from lathe.rpc.client import Session as Session
from lathe.rpc.tracker import Tracker as Tracker
from lathe.rpc.tracker import TrackerSession as TrackerSession
from . import client as client
from lathe.rpc.client import connect as connect
from lathe.rpc.tracker import connect_tracker as connect_tracker
from lathe.rpc.server import keygen as keygen
from . import proxy as proxy
from . import server as server
from . import tracker as tracker
