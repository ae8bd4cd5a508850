"""Numbers out of shapes."""

from ..error import LatheTypeError, LatheValueError


def get_const_int(expr):
    """An int or constant expression as an int.

    Raises:
        LatheValueError: it is not constant.

    Example:
        >>> from lathe import te, topi
        >>> topi.utils.get_const_int(te.placeholder((4,)).shape[0])
        4
    """
    value = getattr(expr, "value", expr)
    if isinstance(value, int):
        return value
    raise LatheValueError("the expression is no constant integer", "topi-not-constant",
                          f"found: {expr}")


def get_const_float(expr):
    """A number or constant expression as a float.

    Example:
        >>> from lathe import topi
        >>> topi.utils.get_const_float(1)
        1.0
    """
    value = getattr(expr, "value", expr)
    if isinstance(value, (int, float)):
        return float(value)
    raise LatheValueError("the expression is no constant number", "topi-not-constant",
                          f"found: {expr}")


def get_const_tuple(in_tuple):
    """A shape as a tuple of ints; extents that are no constants stay expressions.

    Example:
        >>> from lathe import te, topi
        >>> topi.utils.get_const_tuple(te.placeholder((4, 5)).shape)
        (4, 5)
    """
    return tuple(getattr(n, "value", n) for n in in_tuple)


def equal_const_int(expr, value):
    """Is it this constant?

    Example:
        >>> from lathe import te, topi
        >>> topi.utils.equal_const_int(te.var("n"), 4)
        False
    """
    found = getattr(expr, "value", expr)
    return isinstance(found, int) and found == value


def get_float_tuple(in_tuple):
    """Numbers or constant expressions as a tuple of floats.

    Example:
        >>> from lathe import topi
        >>> topi.utils.get_float_tuple((1, 2))
        (1.0, 2.0)
    """
    return tuple(get_const_float(n) for n in in_tuple)


def prod(x):
    """The product of extents.

    Example:
        >>> from lathe import topi
        >>> topi.utils.prod((2, 3, 4))
        24
    """
    total = 1
    for extent in x:
        total = total * getattr(extent, "value", extent)
    return total


def ceil_div(a, b):
    """a / b, rounded up.

    Example:
        >>> from lathe import topi
        >>> topi.utils.ceil_div(7, 2)
        4
    """
    return (a + b - 1) // b


def get_max_power2_factor(n, max_value=None):
    """The largest power of 2 that divides `n`, and is at most `max_value`.

    Example:
        >>> from lathe import topi
        >>> topi.utils.get_max_power2_factor(48, 8)
        8
    """
    if n <= 0:
        raise LatheValueError("the number must be positive", "topi-argument", f"found: {n}")
    power = 1
    while n % (power * 2) == 0 and (max_value is None or power * 2 <= max_value):
        power *= 2
    return power


def ravel_index(indices, shape):
    """The place of an element in row-major order.

    Example:
        >>> from lathe import topi
        >>> topi.utils.ravel_index((1, 2), (3, 4))
        6
    """
    if len(indices) != len(shape):
        raise LatheTypeError("an index must have a number for each dimension", "topi-argument",
                             f"found: {len(indices)} for {len(shape)} dimensions")
    total = 0
    for index, extent in zip(indices, shape):
        total = total * getattr(extent, "value", extent) + index
    return total


def unravel_index(idx, shape):
    """The reverse of `ravel_index`: a list.

    Example:
        >>> from lathe import topi
        >>> topi.utils.unravel_index(6, (3, 4))
        [1, 2]
    """
    found = []
    for extent in reversed(list(shape)):
        extent = getattr(extent, "value", extent)
        found.append(idx % extent)
        idx = idx // extent
    return found[::-1]


def traverse_inline(s, final_op, callback):
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
    from . import tag

    seen = set()

    def visit(op):
        if op in seen:
            return
        seen.add(op)
        inputs = [tensor.op for tensor in op.input_tensors]
        if tag.is_injective(getattr(op, "tag", "") or ""):
            if op != final_op and inputs:
                s[op].compute_inline()
        for one in inputs:
            if getattr(one, "input_tensors", ()):
                visit(one)
        callback(op)

    visit(final_op)


def simplify(expr):
    """An expression in a simpler form; a number as it is.

    Example:
        >>> from lathe import te, topi
        >>> n = te.var("n")
        >>> topi.utils.simplify(n + 0 * n), topi.utils.simplify(3)
        (n, 3)
    """
    from ..arith import Analyzer

    return Analyzer().simplify(expr) if hasattr(expr, "dtype") else expr
