"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.relay._loop import Loop as Loop
from lathe.relay._read import Opaque as Opaque
from lathe.relay.analysis import post_order as post_order

def substitute(expr: Any, binds: Any) -> Any:
    """`expr` with variables replaced: {Var: expression}."""

def with_parts(expr: Any, changed: Any) -> Any:
    """`expr` with its parts replaced: `changed(part)` gives the part that stands for it now.

    The same object if nothing changed.
    """
