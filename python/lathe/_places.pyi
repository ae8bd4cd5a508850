"""Written by python/stubs/make_stubs.py."""

from typing import Any

def add_to(error: Any, schedule: Any) -> Any:
    """Adds to an error's notes which lines made the steps that concern what it names."""

def remembers(stamp: Any) -> Any:
    """A decorator for methods that add steps to a schedule: they remember who called them."""
