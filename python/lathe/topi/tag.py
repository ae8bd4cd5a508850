"""Tags of operations: how a result depends on its operands."""

ELEMWISE = "elemwise"
BROADCAST = "broadcast"
INJECTIVE = "injective"
COMM_REDUCE = "comm_reduce"


def is_broadcast(tag):
    """Does the tag stand for operations of elements, with operands that may be repeated?

    Example:
        >>> from lathe import topi
        >>> topi.tag.is_broadcast(topi.tag.ELEMWISE)
        True
    """
    return tag.startswith((ELEMWISE, BROADCAST))


def is_injective(tag):
    """Does each element of the result depend on one element of each operand?

    Example:
        >>> from lathe import topi
        >>> topi.tag.is_injective(topi.tag.COMM_REDUCE)
        False
    """
    return is_broadcast(tag) or tag.startswith(INJECTIVE)
