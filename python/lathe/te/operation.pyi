"""Written by python/stubs/make_stubs.py."""

from typing import Any, Callable, Sequence, overload
import lathe._ops as _ops
import lathe.ir as _ir
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError

class tag_scope:
    """`with te.tag_scope("elemwise"):` operations made within it get the tag. Also a decorator.

    Scopes do not nest. Each thread has its own.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8,), name="A")
        >>> with te.tag_scope("elemwise"):
        ...     B = te.compute((8,), lambda i: A[i] + 1.0, name="B")
        >>> B.op.tag
        'elemwise'
    """
    def __call__(self, function: Any) -> Any: ...
    def __enter__(self) -> Any: ...
    def __exit__(self, *exc: Any) -> Any: ...
    def __init__(self, tag: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def argmax(pair: Any, axis: _ir.IterVar | Sequence[_ir.IterVar], where: Any = ..., init: Any = ...) -> tuple[_ir.Expr, ...]:
    """(index, value) of the greatest value. `pair` is (index, value) within a compute.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8, 4), name="A")
        >>> k = te.reduce_axis((0, 4), name="k")
        >>> index, value = te.compute((8,), lambda i: te.argmax((k, A[i, k]), axis=k), name="most")
        >>> index.dtype, value.dtype
        ('int32', 'float32')
    """

def argmin(pair: Any, axis: _ir.IterVar | Sequence[_ir.IterVar], where: Any = ..., init: Any = ...) -> tuple[_ir.Expr, ...]:
    """(index, value) of the least value. `pair` is (index, value) within a compute.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8, 4), name="A")
        >>> k = te.reduce_axis((0, 4), name="k")
        >>> index, value = te.compute((8,), lambda i: te.argmin((k, A[i, k]), axis=k), name="least")
        >>> index.dtype, value.dtype
        ('int32', 'float32')
    """

def comm_reducer(fcombine: Any, fidentity: Any, name: Any = ...) -> Callable[..., Any]:
    """Makes a reduction from functions of your own.

    Args:
        fcombine: (x, y) -> result, or the same with tuples. Must be commutative and associative.
        fidentity: (dtype, ...) -> the identity (or a tuple of them).

    Returns:
        A function (expr, axis, where=None, init=None) -> expression(s).

    Example:
        >>> from lathe import te
        >>> product = te.comm_reducer(lambda x, y: x * y, lambda t: te.const(1, t), name="product")
        >>> A = te.placeholder((8, 4), name="A")
        >>> k = te.reduce_axis((0, 4))
        >>> P = te.compute((8,), lambda i: product(A[i, k], axis=k))
    """

@overload
def compute(shape: _ops.Value | Sequence[_ops.Value], fcompute: Callable[..., _ops.Value], name: str = ..., tag: str = ..., attrs: dict[str, Any] | None = ...) -> _ir.Tensor:
    """out[i, j, ...] = fcompute(i, j, ...).

    Args:
        shape: extents of the output; () for a scalar.
        fcompute: called once, with a variable for each axis. Returns an expression, or a tuple of
            them for several outputs with the same shape.
        name: the operation's name.
        tag: a hint for automatic schedules, such as "elemwise".
        attrs: a dict of further attributes. `layout_free_placeholders` lists inputs whose elements
            may lie in another order in memory, such as weights: see `Schedule.pre_transform`, and
            `auto_scheduler.LayoutRewriteOption`.
        varargs_names: names of the axes that `*indices` of `fcompute` stands for.

    Returns:
        A Tensor, or a tuple of them if `fcompute` returned a tuple.

    Raises:
        LatheError: the expressions do not fit; `reduce-missing`: a `reduce_axis` is used without a
            reduction. Exceptions of `fcompute` pass through.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8, 8), name="A")
        >>> te.compute((8, 8), lambda i, j: A[j, i], name="T").dtype
        'float32'
    """
@overload
def compute(shape: _ops.Value | Sequence[_ops.Value], fcompute: Callable[..., tuple[_ops.Value, ...] | list[_ops.Value]], name: str = ..., tag: str = ..., attrs: dict[str, Any] | None = ...) -> tuple[_ir.Tensor, ...]: ...

def const(value: Any, dtype: Any = ...) -> _ir.Expr:
    """A constant. Without `dtype`, its type follows from the value.

    Args:
        value: an int, float or bool, also one of NumPy's.
        dtype: its type; by default int32 (int64 if the value needs it), float32 or bool.

    Returns:
        An expression.

    Raises:
        LatheError: `constant-out-of-range`, `constant-type`.

    Example:
        >>> from lathe import te
        >>> te.const(1.5).dtype
        'float32'
    """

def constant(value: Any, name: Any = ...) -> _ir.Tensor:
    """A tensor whose elements are known now. They come from an array (NumPy's, or any with DLPack).

    Example:
        >>> import numpy as np
        >>> from lathe import te
        >>> te.constant(np.ones((2, 2), "float32"), name="W").dtype
        'float32'
    """

def extern(shape: Any, inputs: Any, fcompute: Any, name: Any = ..., dtype: Any = ..., in_buffers: Any = ..., out_buffers: Any = ..., tag: Any = ..., attrs: Any = ...) -> Any:
    """An operation with a hand-written statement, such as a call of a packed function.

    Args:
        shape: the shape of the output, or a list of shapes.
        inputs: the tensors that it reads.
        fcompute: (input buffers, output buffers) -> a statement, or an expression to evaluate.
        dtype: element type(s) of the outputs; by default that of the first input. Without inputs it
            must be given.

    Raises:
        LatheError: `extern-dtype`: there is neither an input nor a type; `value-wrong-kind`: `fcompute`
            returned nothing.

    Returns:
        A Tensor, or a tuple of them if a list of several shapes was given.

    Example:
        >>> from lathe import te, tir
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.extern((8,), [A], lambda ins, outs: tir.call_packed(
        ...     "my.function", ins[0], outs[0]), name="B")
    """

def max(expr: _ops.Value, axis: _ir.IterVar | Sequence[_ir.IterVar] | _ops.Value, where: Any = ..., init: Any = ...) -> _ir.Expr:
    """The greatest value of `expr` over `axis`. Only at the top of a compute's body.

    Args:
        expr: what is reduced.
        axis: a reduce_axis, or a list of them. A number or another expression instead gives the same of these two
            values, and no reduction.
        where: a condition: elements for which it does not hold are left out.
        init: the value to begin with; the identity by default.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8, 4), name="A")
        >>> k = te.reduce_axis((0, 4), name="k")
        >>> te.compute((8,), lambda i: te.max(A[i, k], axis=k), name="B").dtype
        'float32'
    """

def max_value(dtype: Any) -> _ir.Expr:
    """The greatest finite value of a type. For infinity: `tir.const(float("inf"), dtype)`.

    Args:
        dtype: a type of numbers, without lanes, as for `min_value`.

    Returns:
        A constant.

    Raises:
        LatheError: `reducer-type`: the type has lanes, or is none of numbers.

    Example:
        >>> from lathe import te
        >>> int(te.max_value("uint8"))
        255
    """

def min(expr: _ops.Value, axis: _ir.IterVar | Sequence[_ir.IterVar] | _ops.Value, where: Any = ..., init: Any = ...) -> _ir.Expr:
    """The least value of `expr` over `axis`. Only at the top of a compute's body.

    Args:
        expr: what is reduced.
        axis: a reduce_axis, or a list of them. A number or another expression instead gives the same of these two
            values, and no reduction.
        where: a condition: elements for which it does not hold are left out.
        init: the value to begin with; the identity by default.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8, 4), name="A")
        >>> k = te.reduce_axis((0, 4), name="k")
        >>> te.compute((8,), lambda i: te.min(A[i, k], axis=k), name="B").dtype
        'float32'
    """

def min_value(dtype: Any) -> _ir.Expr:
    """The least finite value of a type. For minus infinity: `tir.const(float("-inf"), dtype)`.

    Args:
        dtype: a type of numbers, without lanes: for vectors, `.astype("float32x4")` of the value repeats it.

    Returns:
        A constant.

    Raises:
        LatheError: `reducer-type`: the type has lanes, or is none of numbers.

    Example:
        >>> from lathe import te
        >>> int(te.min_value("int8"))
        -128
        >>> te.min_value("float16").value
        -65504.0
    """

def placeholder(shape: _ops.Value | Sequence[_ops.Value], dtype: str = ..., name: str = ...) -> _ir.Tensor:
    """An input.

    Args:
        shape: extents (int or expressions).
        dtype: the element type.
        name: for readers.

    Returns:
        A Tensor.

    Example:
        >>> from lathe import te
        >>> te.placeholder((te.var("n"), 64), name="A").ndim
        2
    """

def prod(expr: _ops.Value, axis: _ir.IterVar | Sequence[_ir.IterVar] | _ops.Value, where: Any = ..., init: Any = ...) -> _ir.Expr:
    """The product of `expr` over `axis`. Only at the top of a compute's body.

    Args:
        expr: what is reduced.
        axis: a reduce_axis, or a list of them. A number or another expression instead gives the same of these two
            values, and no reduction.
        where: a condition: elements for which it does not hold are left out.
        init: the value to begin with; the identity by default.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8, 4), name="A")
        >>> k = te.reduce_axis((0, 4), name="k")
        >>> te.compute((8,), lambda i: te.prod(A[i, k], axis=k), name="B").dtype
        'float32'
    """

def reduce_axis(dom: Any, name: str = ..., thread_tag: Any = ..., span: Any = ...) -> _ir.IterVar:
    """An axis to reduce over.

    Args:
        dom: (begin, end) or a Range. The ends may use the compute's own axes and reduction axes
            before this one; the loops of those must stay outside of this one's.
        name: for readers.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8, 8), name="A")
        >>> k = te.reduce_axis((0, 8), name="k")
        >>> row_sum = te.compute((8,), lambda i: te.sum(A[i, k], axis=k), name="row_sum")
        >>> def of_triangle(i):
        ...     j = te.reduce_axis((0, i + 1), name="j")
        ...     return te.sum(A[i, j], axis=j)
        >>> triangle_sum = te.compute((8,), of_triangle, name="triangle_sum")
    """

@overload
def scan(init: _ir.Tensor, update: _ir.Tensor, state_placeholder: _ir.Tensor, inputs: Sequence[_ir.Tensor] | _ir.Tensor | None = ..., name: str = ..., tag: str = ..., attrs: dict[str, Any] | None = ...) -> Any:
    """A recurrence: `init` gives the first rows of the state, `update` the others one by one.

    Args:
        init: tensor(s) with the first rows.
        update: tensor(s) whose row t reads the state at rows before t.
        state_placeholder: placeholder(s) for the whole state.

    Raises:
        LatheError: `scan-mismatch`; `scan-future`: the update reads rows of the state that come later.

    Returns:
        The final state(s): a Tensor, or a tuple if lists were given.

    Example:
        >>> from lathe import te
        >>> X = te.placeholder((5, 8), name="X")
        >>> S = te.placeholder((5, 8), name="S")
        >>> first = te.compute((1, 8), lambda t, j: X[0, j], name="first")
        >>> following = te.compute((5, 8), lambda t, j: S[t - 1, j] + X[t, j], name="following")
        >>> te.scan(first, following, S, inputs=[X], name="sums").ndim
        2
    """
@overload
def scan(init: Sequence[_ir.Tensor], update: Sequence[_ir.Tensor], state_placeholder: Sequence[_ir.Tensor], inputs: Sequence[_ir.Tensor] | _ir.Tensor | None = ..., name: str = ..., tag: str = ..., attrs: dict[str, Any] | None = ...) -> tuple[_ir.Tensor, ...]: ...

def size_var(name: str = ..., dtype: str = ...) -> _ir.Var:
    """A variable known to be >= 0: a symbolic extent.

    Example:
        >>> from lathe import te
        >>> te.size_var("n", "int64").dtype
        'int64'
    """

def sum(expr: _ops.Value, axis: _ir.IterVar | Sequence[_ir.IterVar] | _ops.Value, where: Any = ..., init: Any = ...) -> _ir.Expr:
    """The sum of `expr` over `axis`. Only at the top of a compute's body.

    Args:
        expr: what is reduced.
        axis: a reduce_axis, or a list of them. A number or another expression instead gives the same of these two
            values, and no reduction.
        where: a condition: elements for which it does not hold are left out.
        init: the value to begin with; the identity by default.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8, 4), name="A")
        >>> k = te.reduce_axis((0, 4), name="k")
        >>> te.compute((8,), lambda i: te.sum(A[i, k], axis=k), name="B").dtype
        'float32'
    """

def thread_axis(dom: Any = ..., tag: str = ..., name: Any = ..., span: Any = ...) -> _ir.IterVar:
    """A thread axis to bind loops to, such as te.thread_axis("threadIdx.x").

    Args:
        dom: its extent, (0, extent), a Range, or the tag itself; None: the loop gives the extent.
        tag: "blockIdx.x" ... "threadIdx.z", "vthread", or a tag of a plugin.

    Example:
        >>> from lathe import te
        >>> te.thread_axis("threadIdx.x").thread_tag
        'threadIdx.x'
    """

def var(name: str = ..., dtype: str = ...) -> _ir.Var:
    """A variable: a scalar parameter, or a symbolic extent.

    Example:
        >>> from lathe import te
        >>> te.var("n").dtype
        'int32'
    """
