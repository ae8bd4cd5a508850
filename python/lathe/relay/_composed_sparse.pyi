"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError
from lathe.relay._composed_parts import column as column
from lathe.relay._composed_places import coordinates as coordinates
from lathe.relay._composed_parts import extents as extents
from lathe.relay._composed_places import extents_of as extents_of
from lathe.relay._composed_parts import integer as integer
from lathe.relay._composed_parts import number as number
from lathe.relay._composed_parts import plain_shape as plain_shape
from lathe.relay._composed_parts import tuple_of as tuple_of

def sparse_add(dense_mat: Any, sparse_mat: Any) -> Any:
    """The sum of a dense and a sparse matrix.

    Args:
        dense_mat: an expression (rows, columns).
        sparse_mat: a matrix of that shape, as of `sparse_dense`.

    Returns:
        An expression (rows, columns).

    Raises:
        LatheError: `relay-sparse`: the matrices have two shapes; and those of `sparse_dense`.

    Example:
        >>> from lathe import relay
        >>> matrix = relay.const([5.0, 7.0]), relay.const([1, 0]), relay.const([0, 1, 2])
        >>> made = relay.nn.sparse_add(relay.const([[1.0, 1.0], [1.0, 1.0]]), matrix)
        >>> relay.create_executor("debug").evaluate(made).numpy().tolist()
        [[1.0, 6.0], [8.0, 1.0]]
    """

def sparse_dense(dense_mat: Any, sparse_mat: Any, sparse_lhs: Any = ...) -> Any:
    """The product of a dense matrix and a transposed sparse one, or the other way around.

    The sparse matrix is made dense; it needs as much memory as a dense one.

    Args:
        dense_mat: an expression (rows, depth).
        sparse_mat: the sparse matrix (columns, depth): (values, places in a row, where rows begin), expressions or
            arrays, or an object with `data`, `indices` and `indptr`, as SciPy's. Values are of rank 1 (CSR), or of
            rank 3: blocks (BSR).
        sparse_lhs: is the sparse matrix the left factor?

    Returns:
        An expression: dense_mat times sparse_mat transposed; with `sparse_lhs`, sparse_mat times dense_mat transposed.

    Raises:
        LatheError: `relay-sparse`: not three parts, or parts or blocks that do not fit. `relay-rank`,
            `relay-integer-type`, `graph-shape-type`: a part of another rank or type, or of an unknown shape.

    Example:
        >>> from lathe import relay
        >>> x = relay.const([[1.0, 2.0, 3.0]])
        >>> matrix = relay.const([5.0, 7.0]), relay.const([2, 0]), relay.const([0, 1, 2])  # two rows
        >>> relay.create_executor("debug").evaluate(relay.nn.sparse_dense(x, matrix)).numpy().tolist()
        [[15.0, 7.0]]
    """

def sparse_fill_empty_rows(sparse_indices: Any, sparse_values: Any, dense_shape: Any, default_value: Any) -> Any:
    """A sparse tensor with one more element in each row (of the first dimension) that has none, at its beginning.

    Args:
        sparse_indices: an integer expression (count, rank): a row for each element.
        sparse_values: an expression (count,).
        dense_shape: the tensor's extents: ints, an array or a constant.
        default_value: the new elements, a number or an expression of rank 0.

    Returns:
        Three expressions: all places and all values in the order of rows, whose number depends on data, and whether
        each row was empty (bool).

    Raises:
        LatheError: `relay-sparse`: the extents are not known, or not as many as an element's coordinates. `relay-rank`,
            `relay-integer-type`, `graph-shape-type`: another operand of another rank or type, or of an unknown shape.

    Example:
        >>> from lathe import relay
        >>> made = relay.sparse_fill_empty_rows(relay.const([[0, 1], [2, 0]]), relay.const([5, 6]), (3, 2), 9)
        >>> [one.numpy().tolist() for one in relay.create_executor("vm").evaluate(made.astuple())]
        [[[0, 1], [1, 0], [2, 0]], [5, 9, 6], [False, True, False]]
    """

def sparse_reshape(sparse_indices: Any, prev_shape: Any, new_shape: Any) -> Any:
    """The places of a sparse tensor's elements after a change of its shape.

    Args:
        sparse_indices: an integer expression (count, old rank): a row for each element.
        prev_shape: the old extents, an integer expression of rank 1 whose length is known, or ints.
        new_shape: the new extents; one of them may be -1: what is left.

    Returns:
        Two expressions: the new places (count, new rank), and the new extents without -1.

    Raises:
        LatheError: `relay-sparse`: extents that are known and do not have one number of elements, or several of -1.
            `relay-rank`, `relay-integer-type`, `graph-shape-type`: places or extents of another rank or type, or of an
            unknown shape.

    Example:
        >>> from lathe import relay
        >>> made = relay.sparse_reshape(relay.const([[0, 1], [1, 2]]), relay.const([2, 3]), relay.const([3, -1]))
        >>> [one.numpy().tolist() for one in relay.create_executor("debug").evaluate(made.astuple())]
        [[[0, 1], [2, 1]], [3, 2]]
    """

def sparse_transpose(x: Any) -> Any:
    """The transposed matrix of a square sparse one (CSR).

    Args:
        x: the matrix, as of `sparse_dense`, with values of rank 1.

    Returns:
        Three expressions: values, places in a row, where rows begin. In each row, places ascend if those of `x` do.

    Raises:
        LatheError: `relay-rank`: values are blocks; and those of `sparse_dense`.

    Example:
        >>> from lathe import relay
        >>> made = relay.nn.sparse_transpose((relay.const([5.0, 7.0]), relay.const([1, 1]), relay.const([0, 1, 2])))
        >>> [one.numpy().tolist() for one in relay.create_executor("debug").evaluate(made.astuple())]
        [[5.0, 7.0], [0, 1], [0, 0, 2]]
    """
