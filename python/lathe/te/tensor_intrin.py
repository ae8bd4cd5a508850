"""Tensor intrinsics: operations of hardware on blocks of data."""

from .. import _ffi


def decl_buffer(tensor, strides=None, offset_factor=1, data_alignment=0, scope=""):
    """What an intrinsic demands of an operand's memory.

    Args:
        tensor: the operand: an input or output of the reference compute.
        strides: in elements: numbers to be met, or variables that take the operand's; compact by
            default.
        offset_factor: the operand begins at a multiple of this many elements.
        data_alignment: of the memory, in bytes.
        scope: memory scope; "" for any.
    """
    return _ffi.get("te.intrin_buffer")(tensor, list(strides or []), offset_factor, data_alignment,
                                        scope)


def decl_tensor_intrin(op, fcompute, name="tensor_intrin", binds=None, scalar_params=None,
                       default_buffer_params=None):
    """Declares an intrinsic by what it means.

    Args:
        op: the reference: a compute over placeholders with constant extents.
        fcompute: (input buffers, output buffers) -> a statement, or (body, reset, update).
        name: for people and traces.
        binds: {tensor: buffer} from `decl_buffer`, for operands that are not compact.
        scalar_params: variables of the reference that each use gives a value.
        default_buffer_params: {"offset_factor": ...} for all operands without a buffer of their own.

    That the statements do what the reference says is trusted.
    """
    binds = dict(binds or {})
    operands = list(op.input_tensors) + [op.output(i) for i in range(op.num_outputs)]
    buffers = [binds[t] if t in binds else decl_buffer(t, **(default_buffer_params or {}))
               for t in operands]

    def body(ins, outs):
        made = fcompute(ins, outs)
        return list(made) if isinstance(made, (list, tuple)) else made

    return _ffi.get("te.decl_tensor_intrin")(name, op, body, buffers, list(scalar_params or []))


def register_tensor_intrin(intrin, target=""):
    """Makes an intrinsic known by its name, for a kind of target or ("") all."""
    _ffi.get("te.register_tensor_intrin")(intrin, target)
    return intrin
