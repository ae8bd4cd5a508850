"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError
from lathe.relay._composed_parts import axis_of as axis_of
from lathe.relay._composed_parts import column as column
from lathe.relay._composed_parts import extents as extents
from lathe.relay._composed_parts import integer as integer
from lathe.relay._composed_parts import number as number
from lathe.relay._composed_parts import plain_shape as plain_shape
from lathe.relay._composed_parts import tuple_of as tuple_of

def adv_index(inputs: Any) -> Any:
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

def coordinates(place: Any, extents: Any) -> Any:
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

def extents_of(shape: Any, dtype: Any) -> Any:
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

def fixed_point_multiply(data: Any, multiplier: Any, shift: Any) -> Any:
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

def invert_permutation(data: Any) -> Any:
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

def matrix_set_diag(data: Any, diagonal: Any, k: Any = ..., align: Any = ...) -> Any:
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

def mean_std(data: Any, axis: Any = ..., keepdims: Any = ..., exclude: Any = ...) -> Any:
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

def mean_variance(data: Any, axis: Any = ..., keepdims: Any = ..., exclude: Any = ..., unbiased: Any = ...) -> Any:
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

def segment_sum(data: Any, segment_ids: Any, num_segments: Any = ...) -> Any:
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

def unravel_index(indices: Any, shape: Any) -> Any:
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
