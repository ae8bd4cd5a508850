"""Written by python/stubs/make_stubs.py."""

from typing import Any

def loop_text(state: Any) -> Any:
    """The loops of a state, a line for each; stages stand where they are computed."""
