"""Tensor intrinsics: operations of hardware on blocks of data."""

import difflib

from .. import _ffi
from .._nodes import CLASSES as _CLASSES
from .._ops import Stmt as _Stmt
from ..error import LatheError, LatheTypeError, LatheValueError
from ..target import Target, list_kinds
from .operation import _returned


def decl_buffer(tensor, strides=None, offset_factor=1, data_alignment=0, scope=""):
    """States what an intrinsic requires of an operand's memory.

    Args:
        tensor: the operand: an input or output of the reference compute.
        strides: in elements. A number must match the operand's stride; a variable takes its value.
            Compact by default.
        offset_factor: the operand's offset must be a multiple of this many elements.
        data_alignment: alignment of the memory, in bytes.
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
    """Declares an intrinsic by a reference computation.

    Args:
        op: the reference: a compute over placeholders with constant extents.
        fcompute: (input buffers, output buffers) -> a statement (or an expression to evaluate), or
            (body, reset, update).
        name: for readers and traces.
        binds: {tensor: buffer} from `decl_buffer`, for operands that are not compact.
        scalar_params: variables of the reference; each use of the intrinsic gives them values.
        default_buffer_params: {"offset_factor": ...} for all operands without a buffer of their own.

    Nothing checks that the statements compute what the reference says.

    Example:
        >>> from lathe import te, tir
        >>> a = te.placeholder((4,), name="a")
        >>> b = te.compute((4,), lambda i: a[i] * 2.0, name="b")
        >>> twice = te.decl_tensor_intrin(b.op, lambda ins, outs: tir.call_packed("my.twice", ins[0], outs[0]),
        ...                               name="twice")
        >>> twice.name
        'twice'
    """
    if isinstance(op, _CLASSES["Tensor"]):
        raise LatheTypeError("decl_tensor_intrin takes an operation, not a tensor", "call-wrong-argument-kind",
                             f"found: the tensor {op.name}\nhelp: te.decl_tensor_intrin({op.name}.op, ...)")
    binds = dict(binds or {})
    operands = list(op.input_tensors) + [op.output(i) for i in range(op.num_outputs)]
    buffers = [binds[t] if t in binds else decl_buffer(t, **(default_buffer_params or {}))
               for t in operands]

    def stmt(item):
        return item if item is None or isinstance(item, _Stmt) else _CLASSES["Evaluate"](item)

    def body(ins, outs):
        made = _returned(fcompute(ins, outs), f"the function of tensor intrinsic `{name}`")
        return [stmt(item) for item in made] if isinstance(made, (list, tuple)) else stmt(made)

    return _ffi.get("te.decl_tensor_intrin")(name, op, body, buffers, list(scalar_params or []))


def register_tensor_intrin(intrin, target=""):
    """Registers an intrinsic under its name, for one kind of target, or for all ("").

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


def tensor_intrinsics(target=""):
    """The names of the tensor intrinsics that `Stage.tensorize` takes for a target, sorted.

    Args:
        target: the kind of target, such as "cuda"; "": those for every target.

    Raises:
        LatheError: `target-unknown-kind`.

    Example:
        >>> from lathe import te
        >>> "x86.vpdpbusd.512" in te.tensor_intrinsics()
        True
    """
    if target and target not in list_kinds():
        Target(target)  # raises an error that lists the kinds there are
    return list(_ffi.get("te.tensor_intrinsics")(target))


def _find(name, target):
    """The intrinsic of a name. The error for none says which names are near, and of which targets."""
    try:
        return _ffi.get("te.get_tensor_intrin")(name, target)
    except LatheError as error:
        if error.name != "unknown-tensor-intrin":
            raise
    names = tensor_intrinsics(target)
    others = [kind for kind in list_kinds() if name in tensor_intrinsics(kind)]
    near = difflib.get_close_matches(name, names, 3, 0.5)
    notes = [f"expected: {' or '.join(f'`{one}`' for one in near)}"] if near else []
    notes.append(f"found: `{name}`")
    notes += [f'help: it is one for `{kind}`: tensorize(axis, "{name}", target="{kind}")' for kind in others]
    notes.append("help: te.tensor_intrinsics({}) lists all names".format(f'"{target}"' if target else ""))
    raise LatheValueError(f"there is no tensor intrinsic `{name}`" + (f" for {target}" if target else ""),
                          "unknown-tensor-intrin", "\n".join(notes))
