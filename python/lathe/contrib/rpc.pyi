"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.rpc.client import LocalSession as LocalSession
from lathe.rpc.client import RPCSession as RPCSession
from lathe.rpc.server import Server as Server
from lathe.rpc.tracker import TrackerSession as TrackerSession
from lathe.rpc.client import connect as connect
from lathe.rpc.tracker import connect_tracker as connect_tracker
