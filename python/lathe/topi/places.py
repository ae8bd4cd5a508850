"""Operators whose operands say places of elements, and windows: as of relay."""

from .. import relay
from ..error import LatheValueError
from ..relay._composed_parts import axis_of
from . import _derive
from ._from_relay import of_tensors

_derive.install(globals(), {
    "stft(data, n_fft, hop_length, win_length, window, normalized, onesided, output_shape:_=None)": "stft",
})


def unique(data, is_sorted=True, return_counts=False):
    """The elements of a row, each once.

    Args:
        data: a tensor of rank 1.
        is_sorted: are they in order? Otherwise they are as they come first.
        return_counts: also how often each is there.

    Returns:
        A list of tensors: the elements; where each is first; for each element of `data`, which of them it is; how many
        they are, in a tensor of one number; and the counts. There is place for as many as `data` has.

    Example:
        >>> from lathe import te, topi
        >>> [one.shape for one in topi.unique(te.placeholder((6,), "int32"), return_counts=True)]
        [(6,), (6,), (6,), (1,), (6,)]
    """
    made = _derive.apply("unique", [data], is_sorted=is_sorted, return_counts=return_counts)
    return [*made[:3], made[-1], *made[3:-1]]


def adv_index(data, indices):
    """Elements at places that tensors say, one tensor for each of the first dimensions, as NumPy's `data[i, j]`.

    Args:
        data: a tensor.
        indices: integer tensors whose shapes broadcast to one shape.

    Returns:
        A tensor: the places' common shape, then the data's other dimensions.

    Example:
        >>> from lathe import te, topi
        >>> i, j = te.placeholder((3, 1), "int32"), te.placeholder((2,), "int32")
        >>> topi.adv_index(te.placeholder((4, 5, 6)), [i, j]).shape
        (3, 2, 6)
    """
    return of_tensors(lambda *x: relay.adv_index(x), data, *indices)


def expand_like(a, shape_like, axis):
    """A tensor repeated along new axes, so that it has the shape of another one.

    Args:
        a: a tensor.
        shape_like: a tensor of more dimensions.
        axis: the dimension of `shape_like` that `a` lacks, or a list of them. If `a` has as many dimensions, it is
            broadcast.

    Returns:
        A tensor.

    Raises:
        LatheError: `relay-axis`: no such dimension. `topi-argument`: `a` lacks more or fewer dimensions, or one of
            them is there twice.

    Example:
        >>> from lathe import te, topi
        >>> topi.expand_like(te.placeholder((3,)), te.placeholder((2, 3, 4)), (0, 2)).shape
        (2, 3, 4)
    """
    rank = len(shape_like.shape)
    axes = sorted(axis_of(i, rank, "the tensor") for i in (axis if hasattr(axis, "__iter__") else [axis]))
    if len(a.shape) < rank:
        if len(a.shape) + len(axes) == rank + 1 and list(a.shape) == [1]:
            axes = axes[1:]  # one number for all, which a dimension of its own holds
        if len(a.shape) + len(axes) != rank or len(set(axes)) < len(axes):
            raise LatheValueError("a tensor is repeated along the axes that it lacks", "topi-argument",
                                  f"expected: {rank - len(a.shape)} axes\nfound: {axis}")
        for one in axes:
            a = _derive.apply("expand_dims", [a], axis=one)
    return _derive.apply("broadcast_to", [a], shape=list(shape_like.shape))


def invert_permutation(data):
    """The permutation that undoes another one.

    Args:
        data: an integer tensor of rank 1: each of 0, 1, ... once.

    Returns:
        A tensor of the same type.

    Example:
        >>> from lathe import te, topi
        >>> topi.invert_permutation(te.placeholder((4,), "int32")).shape
        (4,)
    """
    return of_tensors(relay.invert_permutation, data)


def matrix_set_diag(data, diagonal, k=0, align="RIGHT_LEFT"):
    """Matrices with other elements on some of their diagonals: `relay.matrix_set_diag`.

    Args:
        data: a tensor (..., rows, columns).
        diagonal: a tensor: (..., longest diagonal) for one diagonal, else (..., diagonals, longest diagonal).
        k: the number of the diagonal, or (lowest, highest).
        align: where shorter diagonals have their elements, as of `relay.matrix_set_diag`.

    Returns:
        A tensor of the shape of `data`.

    Example:
        >>> from lathe import te, topi
        >>> topi.matrix_set_diag(te.placeholder((2, 4, 5)), te.placeholder((2, 4)), k=1).shape
        (2, 4, 5)
    """
    return of_tensors(lambda x, d: relay.matrix_set_diag(x, d, k, align), data, diagonal)


def sliding_window(data, axis, window_shape, strides):
    """Windows that slide over the dimensions from `axis` on: `relay.sliding_window`.

    Args:
        data: a tensor.
        axis: the first dimension that has windows.
        window_shape, strides: a number for each such dimension.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> topi.sliding_window(te.placeholder((2, 8, 8)), 1, (3, 2), (1, 2)).shape
        (2, 6, 4, 3, 2)
    """
    return of_tensors(lambda x: relay.sliding_window(x, axis, window_shape, strides), data)


def unravel_index(indices, shape):
    """The coordinates of elements, of which `indices` says the places in row-major order.

    Args:
        indices: an integer tensor.
        shape: an integer tensor: the extents.

    Returns:
        A tensor (number of extents, shape of `indices`...).

    Example:
        >>> from lathe import te, topi
        >>> topi.unravel_index(te.placeholder((4,), "int32"), te.placeholder((3,), "int32")).shape
        (3, 4)
    """
    return of_tensors(relay.unravel_index, indices, shape)


def sparse_reshape(sparse_indices, prev_shape, new_shape, new_sparse_indices_shape=None, new_shape_shape=None):
    """The places of a sparse tensor's elements after a change of its shape: `relay.sparse_reshape`.

    Args:
        sparse_indices: an integer tensor (count, old rank).
        prev_shape, new_shape: integer tensors of rank 1; one new extent may be -1.
        new_sparse_indices_shape, new_shape_shape: without effect: the operands say them.

    Returns:
        A list of two tensors: the new places (count, new rank), and the new extents.

    Example:
        >>> from lathe import te, topi
        >>> places, old, new = (te.placeholder(shape, "int64") for shape in ((7, 3), (3,), (2,)))
        >>> [one.shape for one in topi.sparse_reshape(places, old, new)]
        [(7, 2), (2,)]
    """
    return of_tensors(relay.sparse_reshape, sparse_indices, prev_shape, new_shape)
