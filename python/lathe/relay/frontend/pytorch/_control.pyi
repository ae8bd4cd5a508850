"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError
from lathe.relay._loop import Loop as Loop
from lathe.relay.frontend.pytorch._importer import tuple_type as tuple_type

def known_bool(value: Any) -> Any:
    """True or False, or None if it is computed while the model runs."""

def read_if(importer: Any, node: Any) -> Any:
    """Reads prim::If. A known condition chooses the arm that is read."""

def read_loop(importer: Any, node: Any) -> Any:
    """Reads prim::Loop. Rounds are unrolled while it is known that there is another one."""
