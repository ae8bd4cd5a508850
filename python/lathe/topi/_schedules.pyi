"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.topi._schedule import schedule as schedule

OPERATORS: Any

def install(namespace: Any) -> Any:
    """Puts schedule_<operator>(outs) for all operators into a module's namespace."""
