"""Operators whose operands say places of elements, and pairs of statistics, as compositions of others."""

import numpy as np

from ..error import LatheValueError
from . import expr as _e
from ._composed_parts import axis_of, column, extents, integer, number, plain_shape, tuple_of
from ._operators import builder as _op


def adv_index(inputs):
    """Elements at places that tensors say, one tensor for each of the first dimensions, as NumPy's `data[i, j]`.

    Args:
        inputs: a list or tuple of expressions: the data, then integer tensors whose shapes broadcast to one shape.

    Returns:
        An expression: the places' common shape, then the data's other dimensions. Negative places count from the end.

    Raises:
        LatheError: `relay-index`: no tensor of places, more of them than the data has dimensions, or shapes that do not
            broadcast. `relay-integer-type`: places are no integers. `graph-shape-type`: places of several shapes, of
            which one is not known.

    Example:
        >>> from lathe import relay
        >>> x = relay.const([[1.0, 2.0], [3.0, 4.0]])
        >>> made = relay.adv_index([x, relay.const([0, 1, 1]), relay.const([1, 0, 1])])
        >>> relay.create_executor("debug").evaluate(made).numpy().tolist()
        [2.0, 3.0, 4.0]
    """
    given = [_e.as_expr(one) for one in inputs]
    if not 2 <= len(given) <= 1 + len(given[0].checked_type.shape if given else ()):
        raise LatheValueError("the data must have a dimension for each tensor of places", "relay-index",
                              "expected: the data, then a tensor for each of its first dimensions\n"
                              f"found: {', '.join(str(one.checked_type) for one in given) or 'nothing'}")
    data, *places = given
    for one in places:
        integer(one, "places")
    if len({str(one.checked_type.shape) for one in places}) > 1:
        places = _of_one_shape(places)
    return _op("gather_nd")(data, _op("stack")(places, axis=0))


def _of_one_shape(places):
    shapes = [extents(one) for one in places]
    try:
        common = list(np.broadcast_shapes(*map(tuple, shapes)))
    except ValueError:
        raise LatheValueError("the places' shapes do not broadcast to one shape", "relay-index",
                              f"found: {' and '.join(map(str, shapes))}") from None
    return [one if shape == common else _op("broadcast_to")(one, shape=common) for one, shape in zip(places, shapes)]


def invert_permutation(data):
    """The permutation that undoes another one.

    Args:
        data: an integer expression of rank 1: each of 0, 1, ... once. Its length is known.

    Returns:
        An expression of the same type.

    Raises:
        LatheError: `relay-rank`, `relay-integer-type`: no row of integers. `graph-shape-type`: its length is not known.

    Example:
        >>> from lathe import relay
        >>> made = relay.invert_permutation(relay.const([2, 0, 1]))
        >>> relay.create_executor("debug").evaluate(made).numpy().tolist()
        [1, 2, 0]
    """
    data = _e.as_expr(data)
    dtype, (count,) = integer(data, "a permutation"), extents(data, 1, "a permutation")
    return _op("scatter")(_op("zeros")(shape=(count,), dtype=dtype), data, _e.const(np.arange(count, dtype=dtype)),
                          axis=0)


def segment_sum(data, segment_ids, num_segments=None):
    """Sums of the slices along the first dimension that have one number.

    Args:
        data: an expression, of which only the first extent may be unknown.
        segment_ids: an integer expression of rank 1: the number of each slice. They need not be sorted.
        num_segments: how many sums there are, an int or an integer expression of rank 0; by default one more than the
            largest number, so that the shape of the result depends on data.

    Returns:
        An expression; a number that no slice has gives zeros.

    Raises:
        LatheError: `relay-rank`, `relay-integer-type`: data without dimensions, or `segment_ids` is no row of integers.
            `graph-shape-type`: an extent behind the first one is not known.

    Example:
        >>> from lathe import relay
        >>> made = relay.segment_sum(relay.const([1.0, 2.0, 4.0]), relay.const([1, 0, 1]), 3)
        >>> relay.create_executor("debug").evaluate(made).numpy().tolist()
        [2.0, 5.0, 0.0]
    """
    data, ids = _e.as_expr(data), _e.as_expr(segment_ids)
    integer(ids, "numbers of segments")
    axis_of(0, len(data.checked_type.shape))
    if len(ids.checked_type.shape) != 1:
        extents(ids, 1, "numbers of segments")
    dtype, rest = data.checked_type.dtype, plain_shape(list(data.checked_type.shape)[1:])
    if num_segments is None:
        num_segments = _op("add")(_op("max")(ids), number(1, ids.checked_type.dtype))
    if isinstance(num_segments, _e.Expr):
        count = _op("reshape")(_op("cast")(num_segments, dtype="int64"), (1,))
        shape = _op("concatenate")([count, number(rest, "int64")], axis=0) if rest else count
    else:
        shape = [int(num_segments), *rest]
    ids = _op("expand_dims")(ids, axis=0)
    return _op("scatter_nd")(_op("zeros")(shape=shape, dtype=dtype), ids, data, mode="add")


_ALIGN = ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")


def matrix_set_diag(data, diagonal, k=0, align="RIGHT_LEFT"):
    """Matrices with other elements on some of their diagonals.

    Args:
        data: an expression (..., rows, columns) whose shape is known.
        diagonal: an expression: (..., longest diagonal) for one diagonal, else (..., diagonals, longest diagonal), from
            the highest diagonal to the lowest. Its shape is known.
        k: the number of the diagonal, 0 for the main one, above 0 for those above it; or (lowest, highest).
        align: where diagonals that are shorter than the longest have their elements in `diagonal`: "RIGHT_LEFT" (those
            above the main one at the end, those below it at the beginning), "LEFT_RIGHT", "LEFT_LEFT" or "RIGHT_RIGHT".

    Returns:
        An expression of the type of `data`.

    Raises:
        LatheError: `relay-diagonal`: no matrices, no such diagonals or alignment, or `diagonal` does not fit.
            `graph-shape-type`: a shape is not known.

    Example:
        >>> from lathe import relay
        >>> made = relay.matrix_set_diag(relay.zeros((2, 3), "int32"), relay.const([7, 8]), k=1)
        >>> relay.create_executor("debug").evaluate(made).numpy().tolist()
        [[0, 7, 0], [0, 0, 8]]
    """
    given, found, numbers = extents(data), extents(diagonal), plain_shape(k)
    if len(given) < 2 or len(numbers) not in (1, 2):
        raise LatheValueError("these are no matrices, or no range of their diagonals", "relay-diagonal",
                              f"expected: (..., rows, columns), and one number or (lowest, highest) as k\n"
                              f"found: {given}, k={k}")
    (rows, columns), low, high = given[-2:], numbers[0], numbers[-1]
    longest = min(rows + min(high, 0), columns - max(low, 0))
    count = high - low + 1
    if align not in _ALIGN or not -rows < low <= high < columns:
        raise LatheValueError("the matrices have no such diagonals", "relay-diagonal",
                              f"expected: diagonals from {1 - rows} to {columns - 1}, and an alignment of "
                              f"{', '.join(_ALIGN)}\nfound: {low} to {high}, {align}")
    wanted = given[:-2] + ([count] if count > 1 else []) + [longest]
    if found != wanted:
        raise LatheValueError("the diagonals do not fit the matrices", "relay-diagonal",
                              f"expected: shape {wanted}\nfound: {found}")
    above, below = (side == "RIGHT" for side in align.split("_"))
    place, inside = np.zeros((rows, columns), "int32"), np.zeros((rows, columns), bool)
    for d in range(low, high + 1):
        length = min(rows + min(d, 0), columns - max(d, 0))
        at = np.arange(length)
        shift = longest - length if (above and d > 0 or below and d < 0) else 0
        place[at - min(d, 0), at + max(d, 0)] = (high - d) * longest + shift + at
        inside[at - min(d, 0), at + max(d, 0)] = True
    flat = _op("reshape")(diagonal, given[:-2] + [count * longest])
    chosen = _op("take")(flat, _e.const(place), axis=len(given) - 2)
    return _op("where")(_e.const(inside), chosen, data)


def unravel_index(indices, shape):
    """The coordinates of elements, of which `indices` says the places in row-major order.

    Args:
        indices: an integer expression.
        shape: the extents: ints, or an integer expression of rank 1 whose length is known.

    Returns:
        An expression (number of extents, shape of `indices`...) of the type of `indices`.

    Raises:
        LatheError: `relay-integer-type`: `indices` or `shape` are no integers. `relay-rank`, `graph-shape-type`:
            `shape` is no row of a known length.

    Example:
        >>> from lathe import relay
        >>> made = relay.unravel_index(relay.const([22, 41]), (7, 6))
        >>> relay.create_executor("debug").evaluate(made).numpy().tolist()
        [[3, 6], [4, 5]]
    """
    dtype = integer(indices, "places")
    return _op("stack")(coordinates(_e.as_expr(indices), extents_of(shape, dtype)), axis=0)


def extents_of(shape, dtype):
    """Each extent as an expression of rank 0.

    Args:
        shape: ints, or an integer expression of rank 1 whose length is known.
        dtype: the element type of the extents.

    Returns:
        A list of expressions.

    Raises:
        LatheError: `relay-integer-type`, `relay-rank`, `graph-shape-type`: `shape` is none.

    Example:
        >>> from lathe import relay
        >>> [one.checked_type for one in relay._composed_places.extents_of((2, 3), "int64")]
        [int64[], int64[]]
    """
    if isinstance(shape, _e.Expr) and not isinstance(shape, _e.Constant):
        integer(shape, "a shape")
        (count,) = extents(shape, 1, "a shape")
        shape = _op("cast")(shape, dtype=dtype)
        return [column(shape, i, axis=0) for i in range(count)]
    return [number(n, dtype) for n in plain_shape(shape)]


def coordinates(place, extents):
    """A list: the coordinate along each dimension of elements at places in row-major order.

    Args:
        place: an integer expression.
        extents: expressions of rank 0 of the same element type.

    Example:
        >>> from lathe import relay
        >>> made = relay._composed_places.coordinates(relay.const(5), [relay.const(2), relay.const(3)])
        >>> [int(relay.create_executor("debug").evaluate(one).numpy()) for one in made]
        [1, 2]
    """
    made = []
    for extent in reversed(extents):
        made.append(_op("floor_mod")(place, extent))
        place = _op("floor_divide")(place, extent)
    return made[::-1]


def mean_std(data, axis=None, keepdims=False, exclude=False):
    """The mean and the standard deviation along axes.

    Args:
        data: an expression.
        axis: the axes; by default all.
        keepdims: do they stay, with extent 1?
        exclude: are `axis` the axes that stay?

    Returns:
        Two expressions.

    Example:
        >>> from lathe import relay
        >>> mean, std = relay.mean_std(relay.const([1.0, 3.0]))
        >>> float(relay.create_executor("debug").evaluate(std).numpy())
        1.0
    """
    return _both(_op("std"), data, {"axis": axis, "keepdims": keepdims, "exclude": exclude})


def mean_variance(data, axis=None, keepdims=False, exclude=False, unbiased=False):
    """The mean and the variance along axes.

    Args:
        data: an expression.
        axis: the axes; by default all.
        keepdims: do they stay, with extent 1?
        exclude: are `axis` the axes that stay?
        unbiased: is the variance a sum divided by the number of elements less 1?

    Returns:
        Two expressions.

    Example:
        >>> from lathe import relay
        >>> mean, variance = relay.mean_variance(relay.const([1.0, 3.0]), unbiased=True)
        >>> float(relay.create_executor("debug").evaluate(variance).numpy())
        2.0
    """
    return _both(_op("variance"), data, {"axis": axis, "keepdims": keepdims, "exclude": exclude}, unbiased=unbiased)


def _both(spread, data, axes, **more):
    return tuple_of(_op("mean")(data, **axes), spread(data, **axes, **more))


def fixed_point_multiply(data, multiplier, shift):
    """`data` times the number multiplier * 2^(shift - 31), rounded to the nearest integer, halves upward.

    Args:
        data: an int32 expression.
        multiplier: an int from -2^31 to 2^31 - 1, that is, a number from -1 to 1 of which 31 bits are behind the point.
        shift: an int from -31 to 31: how many places to the left that point moves.

    Returns:
        An int32 expression. Products are those of 64 bits: multiplier * 2^shift times an element must fit.

    Raises:
        LatheError: `relay-integer-type`: `data` is not int32. `relay-fixed-point`: another `multiplier` or `shift`.

    Example:
        >>> from lathe import relay
        >>> made = relay.fixed_point_multiply(relay.const([5, -5, 6]), 1 << 30, 0)
        >>> relay.create_executor("debug").evaluate(made).numpy().tolist()
        [3, -2, 3]
    """
    integer(data, "the data", ["int32"])
    multiplier, shift = int(multiplier), int(shift)
    if not -2**31 <= multiplier < 2**31 or not -31 <= shift <= 31:
        raise LatheValueError("there is no such product of fixed point", "relay-fixed-point",
                              "expected: a multiplier of 32 bits, and a shift from -31 to 31\n"
                              f"found: {multiplier}, {shift}")
    wide = _op("cast")(data, dtype="int64")
    if shift > 0:
        wide = _op("left_shift")(wide, number(shift, "int64"))
    down = 31 - min(shift, 0)
    wide = _op("add")(_op("multiply")(wide, number(multiplier, "int64")), number(1 << (down - 1), "int64"))
    return _op("cast")(_op("right_shift")(wide, number(down, "int64")), dtype="int32")
