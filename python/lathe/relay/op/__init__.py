"""Operators: one function for each. `nn`, `image`, `vision`, `random` and `contrib` have theirs."""

from .. import _operators
from ..expr import Op
from .. import contrib, image, nn, random, vision

_operators.install(globals(), "")


def get(op_name):
    """The operator of a name, for `relay.Call` and comparisons.

    Raises:
        LatheError: `graph-unknown-op`, with the nearest names.

    Example:
        >>> from lathe import relay
        >>> relay.op.get("nn.relu")
        Op(nn.relu)
    """
    from ... import _ffi

    if op_name not in _operators.DEFINITIONS:
        _ffi.get("graph.prototype")(op_name, 0, [])  # raises
    return Op(op_name)


def list_op_names():
    """The names of all operators.

    Example:
        >>> from lathe import relay
        >>> "nn.conv2d" in relay.op.list_op_names()
        True
    """
    return sorted(_operators.DEFINITIONS)
