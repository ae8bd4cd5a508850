"""Shapes, orders and selections of elements."""

from .. import _ffi, _nodes
from . import _derive

_derive.install(globals(), {
    "expand_dims(a:data, axis, num_newaxis=1)": "expand_dims",
    "flip(a:data, axis=0)": "reverse",
    "reverse_sequence(a:data, seq_lengths, seq_axis=1, batch_axis=0)": "reverse_sequence",
    "strided_slice(a:data, begin, end, strides=None, axes=None, slice_mode='end')":
        "strided_slice",
    "strided_set(a:data, v, begin, end, strides=None, axes=None)": "strided_set",
    "reshape(a:data, newshape)": "reshape",
    "squeeze(a:data, axis=None)": "squeeze",
    "concatenate(a_tuple:data, axis=0)": "concatenate",
    "stack(a:data, axis)": "stack",
    "split(ary:data, indices_or_sections, axis=0)": "split",
    "gather(data, axis, indices)": "gather",
    "gather_nd(a:data, indices)": "gather_nd",
    "meshgrid(a_tuple:data, indexing='ij')": "meshgrid",
    "repeat(a:data, repeats, axis)": "repeat",
    "tile(a:data, reps)": "tile",
    "layout_transform(array:data, src_layout, dst_layout)": "layout_transform",
    "shape(array:data, dtype='int32')": "shape_of",
    "sequence_mask(data, valid_length, mask_value=0, axis=0)": "sequence_mask",
    "ndarray_size(array:data, dtype='int32')": "ndarray_size",
    "where(condition, x, y)": "where",
})


def transpose(a, axes=None):
    """The dimensions in another order.

    Args:
        a: a tensor.
        axes: the old place of each dimension; by default they are reversed.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> topi.transpose(te.placeholder((8, 4, 2)), (1, 0, 2)).shape
        (4, 8, 2)
    """
    if a.ndim == 2 and (axes is None or tuple(axes) == (1, 0)):
        return _ffi.get("topi.transpose")(a)  # has a schedule of its own
    return _derive.apply("transpose", [a], axes=axes)


def take(a, indices, axis=None, batch_dims=0, mode="clip"):
    """Slices of a tensor at indices.

    Args:
        a: a tensor.
        indices: a tensor of integers.
        axis: the axis that is indexed; None: the elements in row-major order.
        batch_dims: the number of leading dimensions that both have.
        mode: "clip", "wrap" or "fast": what an index outside of the axis means.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> topi.take(te.placeholder((4, 5)), te.placeholder((2,), "int32"), axis=1).shape
        (4, 2)
    """
    if axis is None:
        a, axis = globals()["reshape"](a, (-1,)), 0
    return _derive.apply("take", [a, indices], axis=axis, batch_dims=batch_dims, mode=mode)


def arange(start, stop=None, step=1, dtype="float32"):
    """The numbers from `start` up to, without, `stop`.

    Args:
        start, stop, step: numbers; `stop=None`: from 0 to `start`.
        dtype: the element type.

    Returns:
        A tensor of rank 1.

    Example:
        >>> from lathe import topi
        >>> topi.arange(2, 10, 3).shape
        (3,)
    """
    if stop is None:
        start, stop = 0, start
    return _derive.apply("arange", [], start=start, stop=stop, step=step, dtype=dtype)


def one_hot(indices, on_value, off_value, depth, axis, dtype):
    """`on_value` where the place along the new axis is the index, else `off_value`.

    Args:
        indices: a tensor of integers.
        on_value, off_value: numbers, or tensors of rank 0.
        depth: the extent of the new axis.
        axis: where the new axis goes.
        dtype: the element type.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> topi.one_hot(te.placeholder((4,), "int32"), 1.0, 0.0, 10, -1, "float32").shape
        (4, 10)
    """
    values = [_derive.as_tensor(value, dtype) for value in (on_value, off_value)]
    return _derive.apply("one_hot", [indices, *values], depth=depth, axis=axis, dtype=dtype)


def full(shape, dtype, fill_value):
    """A tensor of one value.

    Args:
        shape: the extents.
        dtype: the element type.
        fill_value: a number, or a tensor of rank 0.

    Returns:
        A tensor.

    Example:
        >>> from lathe import topi
        >>> topi.full((2, 3), "int8", 7).dtype
        'int8'
    """
    return _derive.apply("full", [_derive.as_tensor(fill_value, dtype)], shape=shape, dtype=dtype)


def full_like(x, fill_value):
    """A tensor of one value, with another one's shape and type.

    Args:
        x: a tensor.
        fill_value: a number, or a tensor of rank 0.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> topi.full_like(te.placeholder((2, 3)), 7.0).shape
        (2, 3)
    """
    return full(x.shape, x.dtype, fill_value)


def elemwise_sum(xs):
    """The sum of several tensors of one shape.

    Args:
        xs: a list of tensors.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> topi.elemwise_sum([te.placeholder((2, 3)), te.placeholder((2, 3))]).shape
        (2, 3)
    """
    total = xs[0]
    for x in xs[1:]:
        total = _derive.apply("add", [total, x])
    return total


def matmul(a, b, transp_a=False, transp_b=False):
    """The product of matrices: C[..., i, j] is the sum over k of a[..., i, k] * b[..., k, j].

    Args:
        a: a tensor (batches..., rows, depth).
        b: a tensor (batches..., depth, columns) of the same element type.
        transp_a, transp_b: the operand's last two dimensions are swapped.

    Returns:
        A tensor (batches..., rows, columns).

    Example:
        >>> from lathe import te, topi
        >>> topi.matmul(te.placeholder((2, 8, 4)), te.placeholder((2, 4, 6))).shape
        (2, 8, 6)
    """
    operands = [_swapped(x) if swap else x for x, swap in ((a, transp_a), (b, transp_b))]
    return _ffi.get("topi.matmul")(*operands)


def sparse_to_dense(sparse_indices, output_shape, sparse_values, default_value=0):
    """A tensor with some elements at given places, and one value everywhere else.

    Args:
        sparse_indices: an integer tensor: of rank 0 or 1, the places in a result of rank 1; of rank 2
            (count, rank of the result), a row for each place. No place is there twice.
        output_shape: the extents of the result.
        sparse_values: a tensor (count,), or of rank 0: one value for all places.
        default_value: a number, or a tensor of rank 0.

    Returns:
        A tensor of the element type of `sparse_values`.

    Example:
        >>> from lathe import te, topi
        >>> topi.sparse_to_dense(te.placeholder((3, 2), "int32"), (4, 5), te.placeholder((3,))).shape
        (4, 5)
    """
    rank = len(sparse_indices.shape)
    count = sparse_indices.shape[0] if rank else 1
    places = transpose(sparse_indices, (1, 0)) if rank == 2 else \
        _derive.apply("reshape", [sparse_indices], newshape=(1, count))
    if not sparse_values.shape:
        sparse_values = _derive.apply("broadcast_to", [sparse_values], shape=(count,))
    default = _derive.as_tensor(default_value, sparse_values.dtype)
    filled = _derive.apply("broadcast_to", [default], shape=list(output_shape))
    return _derive.apply("scatter_nd", [filled, places, sparse_values], mode="update")


def _swapped(x):
    axes = list(range(x.ndim))
    axes[-2:] = axes[:-3:-1]
    return _derive.apply("transpose", [x], axes=axes)


def tensordot(a, b, axes):
    """Sums of products over pairs of axes, as `numpy.tensordot`.

    Args:
        a, b: tensors.
        axes: a number of axes, the last of `a` and the first of `b`; or two lists of axes.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> a, b = te.placeholder((2, 3, 4)), te.placeholder((4, 3, 5))
        >>> topi.tensordot(a, b, ((1, 2), (1, 0))).shape
        (2, 5)
    """
    if isinstance(axes, int):
        axes = (range(a.ndim - axes, a.ndim), range(axes))
    left, right = ([one] if isinstance(one, int) else list(one) for one in axes)
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    of_a = [next(letters) for _ in range(a.ndim)]
    of_b = [None] * b.ndim
    for i, j in zip(left, right):
        of_b[j] = of_a[i]
    of_b = [letter or next(letters) for letter in of_b]
    kept = [letter for letter in of_a if letter not in of_b] + \
        [letter for letter in of_b if letter not in of_a]
    return einsum("{},{}->{}".format(*("".join(x) for x in (of_a, of_b, kept))), a, b)


def einsum(subscripts, *operand):
    """Sums of products, as `numpy.einsum`.

    Args:
        subscripts: "ij,jk->ik".
        operand: tensors.

    Returns:
        A tensor.

    Example:
        >>> from lathe import te, topi
        >>> topi.einsum("ij,kj->ik", te.placeholder((2, 3)), te.placeholder((4, 3))).shape
        (2, 4)
    """
    if len(operand) == 1 and not isinstance(operand[0], _nodes.CLASSES["Tensor"]):
        operand = operand[0]
    return _derive.apply("einsum", list(operand), equation=subscripts)
