"""Written by python/stubs/make_stubs.py."""

from typing import Any

def page_of(ansi: Any) -> Any:
    """Coloured terminal text as a <pre> element."""
