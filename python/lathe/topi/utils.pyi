"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheTypeError as LatheTypeError
from lathe.error import LatheValueError as LatheValueError

def ceil_div(a: Any, b: Any) -> Any:
    """a / b, rounded up.

    Example:
        >>> from lathe import topi
        >>> topi.utils.ceil_div(7, 2)
        4
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
