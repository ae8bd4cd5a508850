"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheTypeError as LatheTypeError

def mangle_module_name(mod_name: Any) -> Any:
    """What the names of a graph's parts for other code generators begin with: "tvmgen_" and the graph's name.

    Args:
        mod_name: the name of the graph, or None: "tvmgen" alone.

    Raises:
        LatheTypeError: `relay-name-type`: it is no text.

    Example:
        >>> from lathe.relay.backend.utils import mangle_module_name
        >>> mangle_module_name("default"), mangle_module_name(None)
        ('tvmgen_default', 'tvmgen')
    """
