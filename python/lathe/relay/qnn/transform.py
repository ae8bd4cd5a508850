"""Passes over quantized operators. They leave modules as they are: these operators are compiled
directly, without becoming others first."""

from ..transform import GraphPass


def CanonicalizeOps():
    """Leaves a module as it is: quantized operators are compiled directly.

    Example:
        >>> from lathe import relay
        >>> relay.qnn.transform.CanonicalizeOps().info.name
        'CanonicalizeOps'
    """
    return GraphPass("CanonicalizeOps", lambda module, context: module)


def Legalize():
    """Leaves a module as it is: quantized operators are compiled directly.

    Example:
        >>> from lathe import relay
        >>> relay.qnn.transform.Legalize().info.name
        'Legalize'
    """
    return GraphPass("Legalize", lambda module, context: module)
