"""Sparse matrices: values with their places in rows (CSR) or in rows of blocks (BSR), and lists of places.

Products make the matrix dense first. A constant matrix is made dense when the graph is compiled.
"""

import math

import numpy as np

from ..error import LatheValueError
from . import expr as _e
from ._composed_parts import column, extents, integer, number, plain_shape, tuple_of
from ._composed_places import coordinates, extents_of
from ._operators import builder as _op


def _parts(matrix):
    """(values, places in a row, where each row begins) of a tuple, or of an object that has them as SciPy's."""
    if hasattr(matrix, "indptr"):
        matrix = matrix.data, matrix.indices, matrix.indptr
    given = matrix if hasattr(matrix, "__iter__") else [matrix]
    found = [part if isinstance(part, _e.Expr) else _e.const(np.asarray(part)) for part in given]
    if len(found) != 3:
        _refuse("a sparse matrix has three parts", "(values, places in a row, where rows begin)", f"{len(found)} parts")
    values, places, begins = found
    integer(places, "places in a row")
    integer(begins, "beginnings of rows")
    if extents(values)[:1] != extents(places, 1, "places in a row") or len(extents(values)) not in (1, 3) \
            or extents(begins, 1, "beginnings of rows")[0] < 1:
        _refuse("the parts of a sparse matrix do not fit", "as many values (or blocks) as places, and one beginning "
                "more than rows", f"shapes {', '.join(str(extents(part)) for part in found)}")
    return found


def _refuse(message, expected, found):
    raise LatheValueError(message, "relay-sparse", f"expected: {expected}\nfound: {found}")


def _rows(begins, count, dtype):
    """The row of each value: the number of rows that begin at it or before, less 1."""
    found = _op("searchsorted")(begins, number(np.arange(count), begins.checked_type.dtype), right=True, dtype=dtype)
    return _op("subtract")(found, number(1, dtype))


def _dense(matrix, columns):
    """The matrix with all its zeros. Values of one place are added."""
    values, places, begins = _parts(matrix)
    height, width = extents(values)[1:] if len(extents(values)) == 3 else (1, 1)
    rows, dtype = extents(begins)[0] - 1, places.checked_type.dtype
    if columns % width:
        _refuse("the blocks do not fit the other matrix", f"a number of columns that {width} divides", columns)
    where = _op("stack")([_rows(begins, extents(places)[0], dtype), places], axis=0)
    shape = [rows, columns // width, *extents(values)[1:]]
    made = _op("scatter_nd")(_op("zeros")(shape=shape, dtype=values.checked_type.dtype), where, values, mode="add")
    if len(shape) == 4:
        made = _op("transpose")(made, (0, 2, 1, 3))
    return made if len(shape) == 2 else _op("reshape")(made, [rows * height, columns])


def sparse_dense(dense_mat, sparse_mat, sparse_lhs=False):
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
    dense = _e.as_expr(dense_mat)
    sparse = _dense(sparse_mat, extents(dense, 2, "the dense matrix")[1])
    return _op("nn.dense")(sparse, dense) if sparse_lhs else _op("nn.dense")(dense, sparse)


def sparse_add(dense_mat, sparse_mat):
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
    shape = extents(dense_mat, 2, "the dense matrix")
    sparse = _dense(sparse_mat, shape[1])
    if extents(sparse) != shape:
        _refuse("a sparse and a dense matrix of other rows cannot be added", f"{shape[0]} rows", extents(sparse)[0])
    return _op("add")(dense_mat, sparse)


def sparse_transpose(x):
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
    values, places, begins = _parts(x)
    extents(values, 1, "values")
    count, rows, dtype = extents(places)[0], extents(begins)[0] - 1, places.checked_type.dtype
    order = _op("argsort")(places, dtype="int32")
    where, sort = _rows(begins, count, dtype), _op("take")(places, order, axis=0)
    # A row begins behind all values of the rows before it.
    begin = _op("searchsorted")(sort, number(np.arange(rows + 1), dtype), dtype=begins.checked_type.dtype)
    return tuple_of(_op("take")(values, order, axis=0), _op("take")(where, order, axis=0), begin)


def sparse_reshape(sparse_indices, prev_shape, new_shape):
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
    indices, dtype = _e.as_expr(sparse_indices), integer(sparse_indices, "places")
    rank = extents(indices, 2, "places")[1]
    _check_shapes(*(None if isinstance(shape, _e.Expr) and not isinstance(shape, _e.Constant) else plain_shape(shape)
                    for shape in (prev_shape, new_shape)))
    old, new = extents_of(prev_shape, dtype), extents_of(new_shape, dtype)
    if len(old) != rank:
        _refuse("the places have another number of coordinates than the old shape", len(old), rank)
    zero, one = number(0, dtype), number(1, dtype)

    def product(extents):
        made = one
        for extent in extents:
            made = _op("multiply")(made, extent)
        return made

    known = product([_op("where")(_op("less")(n, zero), one, n) for n in new])
    new = [_op("where")(_op("less")(n, zero), _op("floor_divide")(product(old), known), n) for n in new]
    flat = _op("zeros")(shape=extents(indices)[:1], dtype=dtype)
    for i in range(rank):
        flat = _op("add")(_op("multiply")(flat, old[i]), column(indices, i, axis=1))
    return tuple_of(_op("stack")(coordinates(flat, new), axis=1), _op("stack")(new, axis=0))


def _check_shapes(old, new):
    """Refuses shapes that are known (others are None), and cannot be those of one tensor."""
    if new is not None and (min(new, default=0) < -1 or new.count(-1) > 1):
        _refuse("this is no shape", "extents of 0 or more, and at most one -1", new)
    if old is None or new is None:
        return
    count, known = math.prod(old), math.prod(n for n in new if n != -1)
    if (known == 0 or count % known) if -1 in new else count != known:
        _refuse("the shapes have other numbers of elements", f"{count} elements", new)


def sparse_fill_empty_rows(sparse_indices, sparse_values, dense_shape, default_value):
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
    indices, values = _e.as_expr(sparse_indices), _e.as_expr(sparse_values)
    dtype, (count, rank), kind = integer(indices, "places"), extents(indices, 2, "places"), values.checked_type.dtype
    extents(values, 1, "values")
    if isinstance(dense_shape, _e.Expr) and not isinstance(dense_shape, _e.Constant):
        _refuse("the number of rows must be known when the graph is built", "ints or a constant as dense_shape",
                repr(dense_shape))
    shape = plain_shape(dense_shape)
    if len(shape) != rank or rank == 0:
        _refuse("the places have another number of coordinates than the shape", f"{rank} extents", shape)
    height = shape[0]
    rows = column(indices, 0, axis=1)
    held = _op("scatter_nd")(_op("zeros")(shape=(height,), dtype="int32"), _op("expand_dims")(rows, axis=0),
                             _op("ones")(shape=(count,), dtype="int32"), mode="add")
    empty = _op("equal")(held, _e.const(0))
    added = _op("argwhere")(empty)
    wide = _op("nn.pad")(_op("cast")(added, dtype=dtype), pad_width=((0, 0), (0, rank - 1)))
    places = _op("concatenate")([wide, indices], axis=0)
    default = default_value if isinstance(default_value, _e.Expr) else number(default_value, kind)
    fill = _op("add")(_op("cast")(_op("squeeze")(_op("multiply")(added, _e.const(0)), axis=[1]), dtype=kind), default)
    values = _op("concatenate")([fill, values], axis=0)
    order = _op("argsort")(column(places, 0, axis=1), dtype="int32")
    return tuple_of(_op("take")(places, order, axis=0), _op("take")(values, order, axis=0), empty)
