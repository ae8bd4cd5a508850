"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.ir as _ir
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError

class tag_scope:
    """`with te.tag_scope("elemwise"):` operations made within it have the tag; also a decorator.

    Scopes do not nest. Each thread has its own.
    """
    def __call__(self, function: Any) -> Any: ...
    def __enter__(self) -> Any: ...
    def __exit__(self, *exc: Any) -> Any: ...
    def __init__(self, tag: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    ...

def argmax(pair: Any, axis: Any, where: Any = ..., init: Any = ...) -> Any:
    """(index, value) of the greatest value. `pair` is (index, value) within a compute."""

def argmin(pair: Any, axis: Any, where: Any = ..., init: Any = ...) -> Any:
    """(index, value) of the least value. `pair` is (index, value) within a compute."""

def comm_reducer(fcombine: Any, fidentity: Any, name: Any = ...) -> Any:
    """A reduction of your own.

    Args:
        fcombine: (x, y) -> result, or of tuples; commutative and associative.
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

def compute(shape: Any, fcompute: Any, name: str = ..., tag: str = ..., attrs: Any = ...) -> Any:
    """out[i, j, ...] = fcompute(i, j, ...).

    Args:
        shape: extents of the output; () for a scalar.
        fcompute: called once with a variable for each axis; returns an expression, or a tuple of
            them for several outputs of one shape.
        name: of the operation.
        tag: what automatic schedules go by, such as "elemwise".
        attrs: dict of further notes.

    Returns:
        A Tensor, or a tuple of them where `fcompute` returned one.

    Raises:
        LatheError: the expressions do not fit; whatever `fcompute` raises.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8, 8), name="A")
        >>> te.compute((8, 8), lambda i, j: A[j, i], name="T").dtype
        'float32'
    """

def const(value: Any, dtype: Any = ...) -> _ir.Expr:
    """A constant; its type follows from the value where none is given."""

def constant(value: Any, name: Any = ...) -> _ir.Tensor:
    """A tensor whose elements are known now: those of an array (NumPy's, or any with DLPack)."""

def extern(shape: Any, inputs: Any, fcompute: Any, name: Any = ..., dtype: Any = ..., in_buffers: Any = ..., out_buffers: Any = ..., tag: Any = ..., attrs: Any = ...) -> Any:
    """An operation whose statement is made by hand, such as a call of a packed function.

    Args:
        shape: of the output, or a list of shapes.
        inputs: tensors that it reads.
        fcompute: (input buffers, output buffers) -> a statement or an expression to evaluate.
        dtype: element type(s) of the outputs; the first input's by default.

    Returns:
        A Tensor, or a tuple of them where a list of shapes was given.

    Example:
        >>> from lathe import te, tir
        >>> A = te.placeholder((8,), name="A")
        >>> B = te.extern((8,), [A], lambda ins, outs: tir.call_packed(
        ...     "my.function", ins[0], outs[0]), name="B")
    """

def max(expr: Any, axis: Any, where: Any = ..., init: Any = ...) -> Any:
    """The greatest value of `expr` over `axis`. Only at the top of a compute's body.

    Args:
        expr: what is reduced.
        axis: a reduce_axis, or a list of them.
        where: a condition: elements for which it does not hold are left out.
        init: the value to begin with; the identity by default.
    """

def max_value(dtype: Any) -> _ir.Expr:
    """The greatest value of a type (infinity of floats that have it)."""

def min(expr: Any, axis: Any, where: Any = ..., init: Any = ...) -> Any:
    """The least value of `expr` over `axis`. Only at the top of a compute's body.

    Args:
        expr: what is reduced.
        axis: a reduce_axis, or a list of them.
        where: a condition: elements for which it does not hold are left out.
        init: the value to begin with; the identity by default.
    """

def min_value(dtype: Any) -> _ir.Expr:
    """The least value of a type (minus infinity of floats that have it)."""

def placeholder(shape: Any, dtype: str = ..., name: str = ...) -> _ir.Tensor:
    """An input.

    Args:
        shape: extents: int or expressions.
        dtype: the element type.
        name: for people.

    Returns:
        A Tensor.

    Example:
        >>> from lathe import te
        >>> te.placeholder((te.var("n"), 64), name="A").ndim
        2
    """

def prod(expr: Any, axis: Any, where: Any = ..., init: Any = ...) -> Any:
    """The product of `expr` over `axis`. Only at the top of a compute's body.

    Args:
        expr: what is reduced.
        axis: a reduce_axis, or a list of them.
        where: a condition: elements for which it does not hold are left out.
        init: the value to begin with; the identity by default.
    """

def reduce_axis(dom: Any, name: str = ..., thread_tag: Any = ..., span: Any = ...) -> _ir.IterVar:
    """An axis to reduce over.

    Args:
        dom: (begin, end) or a Range.
        name: for people.

    Example:
        >>> from lathe import te
        >>> A = te.placeholder((8, 8), name="A")
        >>> k = te.reduce_axis((0, 8), name="k")
        >>> row_sum = te.compute((8,), lambda i: te.sum(A[i, k], axis=k), name="row_sum")
    """

def scan(init: Any, update: Any, state_placeholder: Any, inputs: Any = ..., name: Any = ..., tag: Any = ..., attrs: Any = ...) -> Any:
    """A recurrence: rows of `state_placeholder` come from `init`, then one by one from `update`.

    Args:
        init: tensor(s) of the first rows.
        update: tensor(s) whose row t reads the state at rows before t.
        state_placeholder: placeholder(s) of the whole state.

    Returns:
        The final state(s): a Tensor, or a tuple where lists were given.
    """

def size_var(name: str = ..., dtype: str = ...) -> _ir.Var:
    """A variable known to be >= 0: a symbolic extent."""

def sum(expr: Any, axis: Any, where: Any = ..., init: Any = ...) -> Any:
    """The sum of `expr` over `axis`. Only at the top of a compute's body.

    Args:
        expr: what is reduced.
        axis: a reduce_axis, or a list of them.
        where: a condition: elements for which it does not hold are left out.
        init: the value to begin with; the identity by default.
    """

def thread_axis(dom: Any = ..., tag: str = ..., name: Any = ..., span: Any = ...) -> _ir.IterVar:
    """A thread axis to bind loops to, such as te.thread_axis("threadIdx.x").

    Args:
        dom: its extent, (0, extent), a Range, or the tag itself; None: from the loop.
        tag: "blockIdx.x" ... "threadIdx.z", "vthread", or a plugin's.
    """

def var(name: str = ..., dtype: str = ...) -> _ir.Var:
    """A variable: a scalar parameter, or a symbolic extent."""
