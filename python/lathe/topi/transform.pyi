"""Written by python/stubs/make_stubs.py."""

from typing import Any
import lathe.ir as _ir

def arange(start: Any, stop: Any = ..., step: Any = ..., dtype: Any = ...) -> _ir.Tensor:
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

def concatenate(a_tuple: Any, axis: Any = ...) -> _ir.Tensor:
    """The inputs one behind the other along one dimension.

    Args:
        a_tuple: a list of tensors. The inputs.
        axis: an int. The dimension.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.concatenate(a_tuple=[te.placeholder((4, 3)), te.placeholder((4, 4)), te.placeholder((4, 5))], axis=1)
    """

def einsum(subscripts: Any, *operand: Any) -> _ir.Tensor:
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

def elemwise_sum(xs: Any) -> _ir.Tensor:
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

def expand_dims(a: Any, axis: Any, num_newaxis: Any = ...) -> _ir.Tensor:
    """The input with new dimensions of extent 1.

    Args:
        a: a tensor. The input.
        axis: an int. Where.
        num_newaxis: an int. How many.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.expand_dims(a=te.placeholder((4, 3)), axis=1)
    """

def flip(a: Any, axis: Any = ...) -> _ir.Tensor:
    """The same shape, with the elements in the reverse order along some dimensions.

    Args:
        a: a tensor. The input.
        axis: an int or a tuple of ints. The dimensions.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.flip(a=te.placeholder((4, 3)), axis=0)
    """

def full(shape: Any, dtype: Any, fill_value: Any) -> _ir.Tensor:
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

def full_like(x: Any, fill_value: Any) -> _ir.Tensor:
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

def gather(data: Any, axis: Any, indices: Any) -> _ir.Tensor:
    """The elements of `data` at the places that `indices` says along one dimension, and at their own place along the others: the shape of `indices`. Negative indices count from the end; beyond the ends is the nearest place.

    Args:
        data: a tensor. The input.
        axis: an int. The dimension.
        indices: a tensor. Places; the rank of `data`, and at most as long in other dimensions.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.gather(data=te.placeholder((6, 4)), axis=0, indices=te.placeholder((4, 4), "int64"))
    """

def gather_nd(a: Any, indices: Any) -> _ir.Tensor:
    """Elements of `data` at places of several dimensions (Relay): for indices [m, y...], y[b..., y..., x...] = data[b..., indices[0, b..., y...], ..., indices[m - 1, b..., y...], x...], with `batch_dims` dimensions b. Negative indices count from the end; beyond the ends is the nearest place.

    Args:
        a: a tensor. The input.
        indices: a tensor. [m, b..., y...]; m is a number.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.gather_nd(a=te.placeholder((4, 5)), indices=te.placeholder((2, 4), "int64"))
    """

def layout_transform(array: Any, src_layout: Any, dst_layout: Any) -> _ir.Tensor:
    """The same elements in another layout: dimensions in another order, and split into blocks (NCHW16c has dimensions N, C / 16, H, W and 16 channels).

    Args:
        array: a tensor. The input, in `src_layout`.
        src_layout: a str. The layout of the input.
        dst_layout: a str. The layout of the result.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.layout_transform(array=te.placeholder((4, 8, 3, 5)), src_layout='NCHW', dst_layout='NCHW4c')
    """

def matmul(a: Any, b: Any, transp_a: Any = ..., transp_b: Any = ...) -> _ir.Tensor:
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

def meshgrid(a_tuple: Any, indexing: Any = ...) -> Any:
    """For inputs of n, m, ... elements as many tensors [n, m, ...]: number k has along dimension k the elements of input k.

    Args:
        a_tuple: a list of tensors. The coordinates, of rank 1 or 0.
        indexing: a str. "xy": the first two dimensions are exchanged.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.meshgrid(a_tuple=[te.placeholder((4,)), te.placeholder((3,))])
    """

def ndarray_size(array: Any, dtype: Any = ...) -> _ir.Tensor:
    """The number of elements of `data`: []. Its elements are not read.

    Args:
        array: a tensor. The tensor.
        dtype: the name of an element type. The element type of the result.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.ndarray_size(array=te.placeholder((4, 3)))
    """

def one_hot(indices: Any, on_value: Any, off_value: Any, depth: Any, axis: Any, dtype: Any) -> _ir.Tensor:
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

def repeat(a: Any, repeats: Any, axis: Any) -> _ir.Tensor:
    """Each element `repeats` times, one after the other, along one dimension, which becomes `repeats` times as long.

    Args:
        a: a tensor. The input.
        repeats: an int. How often.
        axis: an int. The dimension.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.repeat(a=te.placeholder((4, 3)), repeats=2, axis=0)
    """

def reshape(a: Any, newshape: Any) -> _ir.Tensor:
    """The same elements in row-major order, in another shape. In `newshape`, 0 keeps an extent, -1 is what is left, -2 keeps all further extents, -3 merges two, -4 splits one into the two numbers that follow.

    Args:
        a: a tensor. The input.
        newshape: a tuple of extents: ints, or expressions over sizes. The shape of the result.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.reshape(a=te.placeholder((4, 6)), newshape=(-1, 3))
    """

def reverse_sequence(a: Any, seq_lengths: Any, seq_axis: Any = ..., batch_axis: Any = ...) -> _ir.Tensor:
    """`data` with the first seq_lengths[b] elements along `seq_axis` in the reverse order, for each place b of `batch_axis`; the others stay where they are.

    Args:
        a: a tensor. The input.
        seq_lengths: a tensor. [extent of `batch_axis`].
        seq_axis: an int. The dimension of time.
        batch_axis: an int. The dimension of the sequences.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.reverse_sequence(a=te.placeholder((4, 5)), seq_lengths=te.placeholder((4,), "int64"))
    """

def sequence_mask(data: Any, valid_length: Any, mask_value: Any = ..., axis: Any = ...) -> _ir.Tensor:
    """`data` with `mask_value` at the places of time from valid_length[b] on, for each sequence b. Time and the sequences are the first two dimensions.

    Args:
        data: a tensor. [time, batch, ...], or [batch, time, ...] if `axis` is 1.
        valid_length: a tensor. [batch].
        mask_value: a number. What masked elements become.
        axis: an int. The dimension of time.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.sequence_mask(data=te.placeholder((5, 4)), valid_length=te.placeholder((4,), "int64"))
    """

def shape(array: Any, dtype: Any = ...) -> _ir.Tensor:
    """The extents of `data`: [rank]. Its elements are not read.

    Args:
        array: a tensor. The tensor.
        dtype: the name of an element type. The element type of the result.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.shape(array=te.placeholder((4, 3, 5)))
    """

def sparse_to_dense(sparse_indices: Any, output_shape: Any, sparse_values: Any, default_value: Any = ...) -> _ir.Tensor:
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

def split(ary: Any, indices_or_sections: Any, axis: Any = ...) -> Any:
    """The input cut into parts along one dimension; a tuple. The parts are equally long, or begin at given places, or have given extents.

    Args:
        ary: a tensor. The input.
        indices_or_sections: an int or a tuple of ints. One number: so many equal parts; several: where the parts after the first begin.
        axis: an int. The dimension.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.split(ary=te.placeholder((4, 6)), indices_or_sections=3, axis=1)
    """

def squeeze(a: Any, axis: Any = ...) -> _ir.Tensor:
    """The input without dimensions of extent 1.

    Args:
        a: a tensor. The input.
        axis: an int or a tuple of ints. Which; empty: all.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.squeeze(a=te.placeholder((1, 4, 1)))
    """

def stack(a: Any, axis: Any) -> _ir.Tensor:
    """Tensors of one shape, put together along a new dimension.

    Args:
        a: a list of tensors. The parts.
        axis: an int. Where the new dimension is.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.stack(a=[te.placeholder((4, 3)), te.placeholder((4, 3)), te.placeholder((4, 3))], axis=0)
    """

def strided_set(a: Any, v: Any, begin: Any, end: Any, strides: Any = ..., axes: Any = ...) -> _ir.Tensor:
    """`data` with the elements of `v` at the places of a slice, which is what strided_slice takes with the same attributes.

    Args:
        a: a tensor. The input.
        v: a tensor. The new elements: the slice's shape.
        begin: a tuple of extents: ints, or expressions over sizes. The first places.
        end: a tuple of extents: ints, or expressions over sizes. The places before which it ends.
        strides: an int or a tuple of ints. The steps; negative ones go backwards.
        axes: an int or a tuple of ints. The dimensions; empty: the first ones.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.strided_set(a=te.placeholder((4, 9)), v=te.placeholder((4, 4)), begin=(2,), end=(-3,), axes=(1,))
    """

def strided_slice(a: Any, begin: Any, end: Any, strides: Any = ..., axes: Any = ..., slice_mode: Any = ...) -> _ir.Tensor:
    """Elements begin, begin + stride, ... before end, along some dimensions, as Python slices. Negative numbers count from the end; what is beyond the ends is cut off.

    Args:
        a: a tensor. The input.
        begin: a tuple of extents: ints, or expressions over sizes. The first places.
        end: a tuple of extents: ints, or expressions over sizes. The places before which it ends.
        strides: an int or a tuple of ints. The steps; negative ones go backwards.
        axes: an int or a tuple of ints. The dimensions; empty: the first ones.
        slice_mode: a str. "size": `end` has extents, and -1 for all that is left.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.strided_slice(a=te.placeholder((4, 9)), begin=(0, 2), end=(4, -1))
    """

def take(a: Any, indices: Any, axis: Any = ..., batch_dims: Any = ..., mode: Any = ...) -> _ir.Tensor:
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

def tensordot(a: Any, b: Any, axes: Any) -> _ir.Tensor:
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

def tile(a: Any, reps: Any) -> _ir.Tensor:
    """The whole input reps[d] times along each dimension d. Where `reps` or the shape is shorter, ones stand in front (NumPy).

    Args:
        a: a tensor. The input.
        reps: a tuple of extents: ints, or expressions over sizes. How often.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.tile(a=te.placeholder((4, 3)), reps=(2, 3))
    """

def transpose(a: Any, axes: Any = ...) -> _ir.Tensor:
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

def where(condition: Any, x: Any, y: Any) -> _ir.Tensor:
    """x where the condition holds, else y.

    Args:
        condition: a tensor. Which of the two.
        x: a tensor. Values where the condition holds.
        y: a tensor. Values elsewhere.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.where(condition=te.placeholder((4, 7), "bool"), x=te.placeholder((4, 7)), y=te.placeholder((4, 7)))
    """
