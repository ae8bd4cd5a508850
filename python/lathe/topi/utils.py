"""Numbers out of shapes."""

from ..error import LatheTypeError, LatheValueError


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


def is_empty_shape(shape):
    """Has a tensor of this shape no elements?

    Example:
        >>> from lathe import topi
        >>> topi.utils.is_empty_shape((3, 0)), topi.utils.is_empty_shape(())
        (True, False)
    """
    return any(equal_const_int(n, 0) for n in shape)


def swap(arr, axis):
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
    made = list(arr)
    made[axis], made[-1] = made[-1], made[axis]
    return made


def const_vector(vector, name="const_vector"):
    """A tensor of known elements.

    Args:
        vector: a NumPy array, or a list of numbers.
        name: of the stage.

    Example:
        >>> from lathe import topi
        >>> topi.utils.const_vector([1.0, 2.0]).shape
        (2,)
    """
    import numpy as np

    from ..te import constant

    return constant(np.ascontiguousarray(vector), name=name)


def const_matrix(matrix, name="const_matrix"):
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
    return const_vector(matrix, name)


def get_shape(src_shape, src_layout, dst_layout):
    """The shape of a tensor after `layout_transform`.

    Args:
        src_shape: its shape before.
        src_layout, dst_layout: the layouts, such as "NCHW" and "NCHW4c".

    Example:
        >>> from lathe import topi
        >>> topi.utils.get_shape((1, 8, 3, 3), "NCHW", "NCHW4c")
        (1, 2, 3, 3, 4)
    """
    from ..tir import bijective_layout

    return get_const_tuple(bijective_layout(src_layout, dst_layout).forward_shape(tuple(src_shape)))


def _is_blocked(layout, spatial, lanes):
    head, inner = layout[:len(spatial)], layout[len(spatial):]
    return head == spatial and lanes(inner)


def nchw_pack_layout(layout_info):
    """Are images in blocks of batches and channels, such as "NCHW1n16c"?

    Example:
        >>> from lathe import topi
        >>> topi.utils.nchw_pack_layout("NCHW1n16c"), topi.utils.nchw_pack_layout("NCHW16c")
        (True, False)
    """
    return _is_blocked(layout_info, "NCHW", lambda inner: "n" in inner and "c" in inner)


def nchw_xc_layout(layout_info):
    """Are images in blocks of channels, such as "NCHW16c"?

    Example:
        >>> from lathe import topi
        >>> topi.utils.nchw_xc_layout("NCHW16c"), topi.utils.nchw_xc_layout("NCHW")
        (True, False)
    """
    return _is_blocked(layout_info, "NCHW", lambda inner: inner.endswith("c") and inner[:-1].isnumeric())


def ncw_pack_layout(layout_info):
    """Are rows in blocks of batches and channels, such as "NCW1n16c"?

    Example:
        >>> from lathe import topi
        >>> topi.utils.ncw_pack_layout("NCW1n16c")
        True
    """
    return _is_blocked(layout_info, "NCW", lambda inner: "n" in inner and "c" in inner)


def ncw_xc_layout(layout_info):
    """Are rows in blocks of channels, such as "NCW16c"?

    Example:
        >>> from lathe import topi
        >>> topi.utils.ncw_xc_layout("NCW16c")
        True
    """
    return _is_blocked(layout_info, "NCW", lambda inner: inner.endswith("c") and inner[:-1].isnumeric())


def within_index(b, e, s, i):
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
    from .. import tir

    b, e, s, i = (_integer(one) for one in (b, e, s, i))
    up = tir.all(i >= b, i < e, tir.floormod(i - b, tir.max(s, 1)).equal(0))
    down = tir.all(i <= b, i > e, tir.floormod(b - i, tir.max(-s, 1)).equal(0))
    return tir.Select(s < 0, down, up)


def make_idx(b, e, s, z, i):
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
    from .. import tir

    b, s, z, i = (_integer(one) for one in (b, s, z, i))
    b = tir.Select(z < b, z - 1, b)
    return tir.Select(s < 0, tir.floordiv(b - i, tir.max(-s, 1)), tir.floordiv(i - b, tir.max(s, 1)))


def _integer(value):
    from .. import tir

    return tir.const(value, "int32") if isinstance(value, int) else value


def is_target(names):
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
    from ..target import Target

    target = Target.current(allow_none=False)
    names = [names] if isinstance(names, str) else names
    return any(name in target.keys or name == target.kind.name for name in names)
