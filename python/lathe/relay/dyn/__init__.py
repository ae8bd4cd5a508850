"""The operators whose names begin with "dyn.": their shapes depend on elements of tensors.

The usual builders take expressions, too, where they take extents, and then make one of these:

    >>> from lathe import relay
    >>> x = relay.var("x", shape=(6,))
    >>> shape = relay.var("shape", shape=(2,), dtype="int64")
    >>> relay.reshape(x, newshape=shape).op.name
    'dyn.reshape'
"""

from .. import _operators
from . import nn

_operators.install(globals(), "dyn.")
