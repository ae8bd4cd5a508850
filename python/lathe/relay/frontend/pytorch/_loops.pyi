"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.relay.frontend.pytorch._cells import Cell as Cell
from lathe.error import LatheValueError as LatheValueError
from lathe.relay._loop import Loop as Loop
from lathe.relay.frontend.pytorch._importer import tuple_type as tuple_type

def read_loop(importer: Any, node: Any) -> Any:
    """Reads prim::Loop. Rounds are unrolled while it is known that there is another one."""
