"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError

class InvalidShapeError(ValueError):
    """A shape that a schedule of a program for TVM does not take; only such programs raise it.

    Example:
        >>> from lathe import topi
        >>> try:
        ...     raise topi.utils.InvalidShapeError("the window must be 3 x 3")
        ... except ValueError as error:
        ...     print(error)
        the window must be 3 x 3
    """
    ...

def ceil_div(a: Any, b: Any) -> Any:
    """a / b, rounded up.

    Example:
        >>> from lathe import topi
        >>> topi.utils.ceil_div(7, 2)
        4
    """

def const_matrix(matrix: Any, name: Any = ...) -> Any:
    """A tensor of known elements: `const_vector` of two dimensions.

    Args:
        matrix: a NumPy array of rank 2, or rows of numbers.
        name: of the stage.

    Returns:
        A tensor.

    Example:
        >>> import numpy as np
        >>> from lathe import topi
        >>> topi.utils.const_matrix(np.eye(3, dtype="float32")).dtype
        'float32'
    """

def const_vector(vector: Any, name: Any = ...) -> Any:
    """A tensor of known elements.

    Args:
        vector: a NumPy array, or a list of numbers.
        name: of the stage.

    Example:
        >>> from lathe import topi
        >>> topi.utils.const_vector([1.0, 2.0]).shape
        (2,)
    """

def equal_const_int(expr: Any, value: Any) -> Any:
    """Is it this constant?

    Example:
        >>> from lathe import te, topi
        >>> topi.utils.equal_const_int(te.var("n"), 4)
        False
    """

def get_const_float(expr: Any) -> Any:
    """A number or constant expression as a float.

    Example:
        >>> from lathe import topi
        >>> topi.utils.get_const_float(1)
        1.0
    """

def get_const_int(expr: Any) -> Any:
    """An int or constant expression as an int.

    Raises:
        LatheValueError: it is not constant.

    Example:
        >>> from lathe import te, topi
        >>> topi.utils.get_const_int(te.placeholder((4,)).shape[0])
        4
    """

def get_const_tuple(in_tuple: Any) -> Any:
    """A shape as a tuple of ints; extents that are no constants stay expressions.

    Example:
        >>> from lathe import te, topi
        >>> topi.utils.get_const_tuple(te.placeholder((4, 5)).shape)
        (4, 5)
    """

def get_float_tuple(in_tuple: Any) -> Any:
    """Numbers or constant expressions as a tuple of floats.

    Example:
        >>> from lathe import topi
        >>> topi.utils.get_float_tuple((1, 2))
        (1.0, 2.0)
    """

def get_max_power2_factor(n: Any, max_value: Any = ...) -> Any:
    """The largest power of 2 that divides `n`, and is at most `max_value`.

    Example:
        >>> from lathe import topi
        >>> topi.utils.get_max_power2_factor(48, 8)
        8
    """

def get_shape(src_shape: Any, src_layout: Any, dst_layout: Any) -> Any:
    """The shape of a tensor after `layout_transform`.

    Args:
        src_shape: its shape before.
        src_layout, dst_layout: the layouts, such as "NCHW" and "NCHW4c".

    Example:
        >>> from lathe import topi
        >>> topi.utils.get_shape((1, 8, 3, 3), "NCHW", "NCHW4c")
        (1, 2, 3, 3, 4)
    """

def is_empty_shape(shape: Any) -> Any:
    """Has a tensor of this shape no elements?

    Example:
        >>> from lathe import topi
        >>> topi.utils.is_empty_shape((3, 0)), topi.utils.is_empty_shape(())
        (True, False)
    """

def is_target(names: Any) -> Any:
    """Is the current target of one of these kinds, or has it one of these keys?

    Args:
        names: a name or a list of them, such as "llvm" or ["cpu", "cuda"].

    Example:
        >>> import lathe
        >>> from lathe import topi
        >>> with lathe.target.Target("llvm"):
        ...     topi.utils.is_target("cpu"), topi.utils.is_target(["cuda", "opencl"])
        (True, False)
    """

def make_idx(b: Any, e: Any, s: Any, z: Any, i: Any) -> Any:
    """Which of the indices from `b` to `e` in steps of `s` the index `i` is, if it is one of them.

    Args:
        b, e, s: as of `within_index`.
        z: the extent of the axis; a `b` beyond it means its last element.
        i: the index.

    Returns:
        An integer expression.

    Example:
        >>> from lathe import topi
        >>> [topi.utils.simplify(topi.utils.make_idx(1, 8, 3, 8, i)).value for i in (1, 4, 7)]
        [0, 1, 2]
    """

def nchw_pack_layout(layout_info: Any) -> Any:
    """Are images in blocks of batches and channels, such as "NCHW1n16c"?

    Example:
        >>> from lathe import topi
        >>> topi.utils.nchw_pack_layout("NCHW1n16c"), topi.utils.nchw_pack_layout("NCHW16c")
        (True, False)
    """

def nchw_xc_layout(layout_info: Any) -> Any:
    """Are images in blocks of channels, such as "NCHW16c"?

    Example:
        >>> from lathe import topi
        >>> topi.utils.nchw_xc_layout("NCHW16c"), topi.utils.nchw_xc_layout("NCHW")
        (True, False)
    """

def ncw_pack_layout(layout_info: Any) -> Any:
    """Are rows in blocks of batches and channels, such as "NCW1n16c"?

    Example:
        >>> from lathe import topi
        >>> topi.utils.ncw_pack_layout("NCW1n16c")
        True
    """

def ncw_xc_layout(layout_info: Any) -> Any:
    """Are rows in blocks of channels, such as "NCW16c"?

    Example:
        >>> from lathe import topi
        >>> topi.utils.ncw_xc_layout("NCW16c")
        True
    """

def prod(x: Any) -> Any:
    """The product of extents.

    Example:
        >>> from lathe import topi
        >>> topi.utils.prod((2, 3, 4))
        24
    """

def ravel_index(indices: Any, shape: Any) -> Any:
    """The place of an element in row-major order.

    Example:
        >>> from lathe import topi
        >>> topi.utils.ravel_index((1, 2), (3, 4))
        6
    """

def simplify(expr: Any) -> Any:
    """An expression in a simpler form; a number as it is.

    Example:
        >>> from lathe import te, topi
        >>> n = te.var("n")
        >>> topi.utils.simplify(n + 0 * n), topi.utils.simplify(3)
        (n, 3)
    """

def swap(arr: Any, axis: Any) -> Any:
    """A list of the same items, the last one and that of `axis` exchanged.

    Args:
        arr: a sequence.
        axis: a place in it.

    Returns:
        A list.

    Example:
        >>> from lathe import topi
        >>> topi.utils.swap([1, 2, 3], 0)
        [3, 2, 1]
    """

def traverse_inline(s: Any, final_op: Any, callback: Any) -> Any:
    """Inlines what is elementwise before `final_op`, and calls `callback` for each operation.

    Args:
        s: a Schedule.
        final_op: an operation.
        callback: Operation -> anything, called with operands before their users.

    Example:
        >>> from lathe import te, topi
        >>> A = te.placeholder((8,), name="A")
        >>> B = topi.exp(topi.exp(A))
        >>> s, seen = te.create_schedule(B.op), []
        >>> topi.utils.traverse_inline(s, B.op, lambda op: seen.append(op.name))
    """

def unravel_index(idx: Any, shape: Any) -> Any:
    """The reverse of `ravel_index`: a list.

    Example:
        >>> from lathe import topi
        >>> topi.utils.unravel_index(6, (3, 4))
        [1, 2]
    """

def within_index(b: Any, e: Any, s: Any, i: Any) -> Any:
    """Is the index `i` one of those from `b` to `e`, without it, in steps of `s`?

    Args:
        b, e, s, i: integer expressions, or ints. A negative step goes downward.

    Returns:
        A bool expression.

    Example:
        >>> from lathe import topi
        >>> [i for i in range(8) if topi.utils.simplify(topi.utils.within_index(6, 1, -2, i)).value]
        [2, 4, 6]
    """
