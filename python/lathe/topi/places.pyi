"""Written by python/stubs/make_stubs.py."""

from typing import Any
from lathe.error import LatheValueError as LatheValueError
from lathe.relay._composed_parts import axis_of as axis_of
from lathe.topi._from_relay import of_tensors as of_tensors
from lathe import relay as relay

def adv_index(data: Any, indices: Any) -> Any:
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

def expand_like(a: Any, shape_like: Any, axis: Any) -> Any:
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

def invert_permutation(data: Any) -> Any:
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

def matrix_set_diag(data: Any, diagonal: Any, k: Any = ..., align: Any = ...) -> Any:
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

def sliding_window(data: Any, axis: Any, window_shape: Any, strides: Any) -> Any:
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

def sparse_reshape(sparse_indices: Any, prev_shape: Any, new_shape: Any, new_sparse_indices_shape: Any = ..., new_shape_shape: Any = ...) -> Any:
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

def stft(data: Any, n_fft: Any, hop_length: Any, win_length: Any, window: Any, normalized: Any, onesided: Any, output_shape: Any = ...) -> Any:
    """The Fourier transforms of the frames of a real signal (Relay, PyTorch): y[k, m] = sum over t of window[t] x[m hop_length + t] e^(-2 pi i k t / n_fft), as [batch, k, m, 2] with the real and the imaginary part. A window that is shorter than a frame is in its middle.

    Args:
        data: a tensor. The signal, [length] or [batch, length].
        n_fft: an int. The length of a frame.
        hop_length: an int. The distance of frames; 0: n_fft / 4.
        win_length: an int. The length of the window; 0: n_fft.
        window: a tensor. [win_length]; ones if it is left out.
        normalized: a bool. Is the result divided by sqrt(n_fft)?.
        onesided: a bool. Only the first floor(n_fft / 2) + 1 frequencies?.
        output_shape: any value. Without effect.

    Returns:
        A tensor, or a list of them.

    Example:
        >>> from lathe import te, topi
        >>> y = topi.stft(data=te.placeholder((4, 20)), n_fft=8, hop_length=0, win_length=0, window=te.placeholder((8,)), normalized=False, onesided=True)
    """

def unique(data: Any, is_sorted: Any = ..., return_counts: Any = ...) -> Any:
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

def unravel_index(indices: Any, shape: Any) -> Any:
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
