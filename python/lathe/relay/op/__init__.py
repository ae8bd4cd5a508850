"""Operators: one function for each. `nn`, `image`, `vision`, `random` and `contrib` have theirs."""

from .. import _operators
from ..expr import Op
from .. import annotation, contrib, image, nn, random, vision

_operators.install(globals(), "")

from ._register import register_op  # noqa: E402
from .._composed import (cast_like, collapse_sum_like, collapse_sum_to, reinterpret,  # noqa: E402
                         reverse_reshape)
from .._composed_nn import sparse_to_dense  # noqa: E402
from .._composed_places import (adv_index, fixed_point_multiply, invert_permutation,  # noqa: E402
                                matrix_set_diag, mean_std, mean_variance, segment_sum, unravel_index)
from .._composed_sparse import sparse_fill_empty_rows, sparse_reshape  # noqa: E402
from .._composed_windows import sliding_window  # noqa: E402
from ._legalize import register_legalize  # noqa: E402


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


class OpPattern:
    """How an operator can be fused, as numbers: the attribute `TOpPattern` of operators.

    Example:
        >>> from lathe import relay
        >>> relay.op.op_pattern("nn.relu") == relay.op.OpPattern.ELEMWISE
        True
    """

    ELEMWISE = 0
    BROADCAST = 1
    INJECTIVE = 2
    COMM_REDUCE = 3
    OUT_ELEMWISE_FUSABLE = 4
    TUPLE = 7
    OPAQUE = 8


_PATTERNS = {"elementwise": OpPattern.ELEMWISE, "broadcast": OpPattern.BROADCAST,
             "injective": OpPattern.INJECTIVE, "reduction": OpPattern.COMM_REDUCE,
             "anchor": OpPattern.OUT_ELEMWISE_FUSABLE, "opaque": OpPattern.OPAQUE}


def op_pattern(op_name):
    """How the operator of a name can be fused (OpPattern).

    Example:
        >>> from lathe import relay
        >>> relay.op.op_pattern("nn.conv2d")
        4
    """
    return _PATTERNS[_operators.DEFINITIONS[get(op_name).name].kind]


def list_op_names():
    """The names of all operators.

    Example:
        >>> from lathe import relay
        >>> "nn.conv2d" in relay.op.list_op_names()
        True
    """
    return sorted(_operators.DEFINITIONS)
