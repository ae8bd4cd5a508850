"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.relay.transform import GraphPass as GraphPass

def CanonicalizeOps() -> Any:
    """Leaves a module as it is: quantized operators are compiled directly.

    Example:
        >>> from lathe import relay
        >>> relay.qnn.transform.CanonicalizeOps().info.name
        'CanonicalizeOps'
    """

def Legalize() -> Any:
    """Leaves a module as it is: quantized operators are compiled directly.

    Example:
        >>> from lathe import relay
        >>> relay.qnn.transform.Legalize().info.name
        'Legalize'
    """
