"""Names in compiled graphs."""

from ...error import LatheTypeError


def mangle_module_name(mod_name):
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
    if mod_name is not None and not isinstance(mod_name, str):
        raise LatheTypeError("a graph's name must be a text", "relay-name-type", f"found: {type(mod_name).__name__}")
    return "tvmgen_" + mod_name if mod_name else "tvmgen"
