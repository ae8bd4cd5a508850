"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheError as LatheError
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError
from lathe.target import Target as Target
from lathe.target import list_kinds as list_kinds

def decl_buffer(tensor: Any, strides: Any = ..., offset_factor: Any = ..., data_alignment: Any = ..., scope: Any = ...) -> Any:
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

def decl_tensor_intrin(op: Any, fcompute: Any, name: Any = ..., binds: Any = ..., scalar_params: Any = ..., default_buffer_params: Any = ...) -> Any:
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

def register_tensor_intrin(intrin: Any, target: Any = ...) -> Any:
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

def tensor_intrinsics(target: Any = ...) -> Any:
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
