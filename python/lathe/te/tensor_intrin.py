"""Tensor intrinsics: operations of hardware on blocks of data."""

from .. import _ffi
from .._nodes import CLASSES as _CLASSES
from .._ops import Stmt as _Stmt


def decl_buffer(tensor, strides=None, offset_factor=1, data_alignment=0, scope=""):
    """What an intrinsic demands of an operand's memory.

    Args:
        tensor: the operand: an input or output of the reference compute.
        strides: in elements: numbers to be met, or variables that take the operand's; compact by
            default.
        offset_factor: the operand begins at a multiple of this many elements.
        data_alignment: of the memory, in bytes.
        scope: memory scope; "" for any.

    Example:
        >>> from lathe import te
        >>> a = te.placeholder((4, 4), name="a")
        >>> te.decl_buffer(a, strides=[te.var("row"), 1]).name
        'a'
    """
    return _ffi.get("te.intrin_buffer")(tensor, list(strides or []), offset_factor, data_alignment,
                                        scope)


def decl_tensor_intrin(op, fcompute, name="tensor_intrin", binds=None, scalar_params=None,
                       default_buffer_params=None):
    """Declares an intrinsic by what it means.

    Args:
        op: the reference: a compute over placeholders with constant extents.
        fcompute: (input buffers, output buffers) -> a statement (or an expression to evaluate), or
            (body, reset, update).
        name: for people and traces.
        binds: {tensor: buffer} from `decl_buffer`, for operands that are not compact.
        scalar_params: variables of the reference that each use gives a value.
        default_buffer_params: {"offset_factor": ...} for all operands without a buffer of their own.

    That the statements do what the reference says is trusted.

    Example:
        >>> from lathe import te, tir
        >>> a = te.placeholder((4,), name="a")
        >>> b = te.compute((4,), lambda i: a[i] * 2.0, name="b")
        >>> twice = te.decl_tensor_intrin(b.op, lambda ins, outs: tir.call_packed("my.twice", ins[0], outs[0]),
        ...                               name="twice")
        >>> twice.name
        'twice'
    """
    binds = dict(binds or {})
    operands = list(op.input_tensors) + [op.output(i) for i in range(op.num_outputs)]
    buffers = [binds[t] if t in binds else decl_buffer(t, **(default_buffer_params or {}))
               for t in operands]

    def stmt(item):
        return item if item is None or isinstance(item, _Stmt) else _CLASSES["Evaluate"](item)

    def body(ins, outs):
        made = fcompute(ins, outs)
        return [stmt(item) for item in made] if isinstance(made, (list, tuple)) else stmt(made)

    return _ffi.get("te.decl_tensor_intrin")(name, op, body, buffers, list(scalar_params or []))


def register_tensor_intrin(intrin, target=""):
    """Makes an intrinsic known by its name, for a kind of target or ("") all.

    Example:
        >>> from lathe import te, tir
        >>> a = te.placeholder((4,), name="a")
        >>> b = te.compute((4,), lambda i: a[i] * 2.0, name="b")
        >>> twice = te.decl_tensor_intrin(b.op, lambda ins, outs: tir.call_packed("my.twice", ins[0], outs[0]),
        ...                               name="doc_twice")
        >>> te.register_tensor_intrin(twice).name
        'doc_twice'
    """
    _ffi.get("te.register_tensor_intrin")(intrin, target)
    return intrin
