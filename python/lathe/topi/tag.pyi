"""Written by python/stubs/make_stubs.py."""

from typing import Any

BROADCAST: Any

COMM_REDUCE: Any

ELEMWISE: Any

INJECTIVE: Any

def is_broadcast(tag: Any) -> Any:
    """Does the tag stand for operations of elements, with operands that may be repeated?

    Example:
        >>> from lathe import topi
        >>> topi.tag.is_broadcast(topi.tag.ELEMWISE)
        True
    """

def is_injective(tag: Any) -> Any:
    """Does each element of the result depend on one element of each operand?

    Example:
        >>> from lathe import topi
        >>> topi.tag.is_injective(topi.tag.COMM_REDUCE)
        False
    """
